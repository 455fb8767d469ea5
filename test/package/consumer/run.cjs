const { createEngine, defineActivity } = require('stele')
const { mermaidOf } = require('stele/inspector')
const { sqlite } = require('stele/sqlite')

async function main() {
  const double = defineActivity({ name: 'double' }, (amount) => amount * 2)
  const engine = await createEngine({ storage: ':memory:', functions: [double], logger: false })
  await engine.start()
  const handle = await engine.submit(double, 21)
  console.log(typeof sqlite, await handle.result({ timeout: '10s' }))
  await engine.stop()
  if (typeof mermaidOf !== 'function') console.log('nothing can be drawn')
}

main()
