/** One program, two roles: the demo, and the worker process that it starts, kills and starts again. */
const [role] = process.argv.slice(2)

if (role === 'worker') await import('./worker.ts')
else await import('./demo.ts')
