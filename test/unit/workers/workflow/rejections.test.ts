import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Children, openChildren } from './child.ts'

let children: Children

beforeAll(async () => {
  children = await openChildren()
})

afterAll(async () => {
  await children[Symbol.asyncDispose]()
})

const preamble = `
import { workflowGuard } from './src/workers/workflow/guard.js'
import { workflowGuard as copy } from './src/workers/workflow/guard.js?copy'
const { run, leave, current } = workflowGuard
const shown = () => (current() === undefined ? 'outside' : 'inside')
const scopeOf = (functionName) => ({
  functionName,
  now: () => 0,
  random: () => 0,
  warn: () => undefined,
  onUnhandledRejection: (reason) => console.log(functionName, 'told of', reason.message, shown()),
  onRejectionHandled: () => console.log(functionName, 'handled', shown()),
})
const soon = () => new Promise((resolve) => setTimeout(resolve, 5))
`
const install = 'const uninstall = workflowGuard.install({ globals: false })\n'

async function runInstalled(body: string): Promise<readonly [code: number, ...string[]]> {
  const { code, stdout } = await children.run(preamble + install + body)
  return [code, ...stdout.split('\n').filter((line) => line !== '')]
}

describe('rejections of a workflow', () => {
  it.each([
    ['an async function that throws late', `run(a, async () => { await soon(); throw e })`],
    ['a rejected promise that nobody takes', `run(a, () => { Promise.reject(e) })`],
    ['a promise that is rejected in the scope', `run(a, () => new Promise((_, no) => no(e)))`],
    [
      'a promise that waits for one from outside',
      `const p = soon().then(() => { throw e }); run(a, async () => { await p })`,
    ],
  ])('guard: %s is told to the scope, and the process goes on', async (_case, body) => {
    const program = `const a = scopeOf('a'), e = new Error('lost'); ${body}`
    expect(await runInstalled(program)).toEqual([0, 'a told of lost outside'])
  })

  it('guard: each scope is told of its own', async () => {
    const body = `
      for (const name of ['a', 'b']) {
        run(scopeOf(name), async () => { await soon(); throw new Error('of ' + name) })
      }`
    expect(await runInstalled(body)).toEqual([
      0,
      'a told of of a outside',
      'b told of of b outside',
    ])
  })

  it('guard: a handler that comes late is told to the same scope, whoever brings it', async () => {
    const body = `
      let late
      run(scopeOf('a'), () => { late = Promise.reject(new Error('lost')) })
      await soon()
      run(scopeOf('b'), () => { late.catch(() => undefined) })
      await soon()`
    expect(await runInstalled(body)).toEqual([0, 'a told of lost outside', 'a handled outside'])
  })

  it('guard: without an install Node decides', async () => {
    const body = `uninstall(); run(scopeOf('a'), () => { Promise.reject(new Error('lost')) })`
    expect(await runInstalled(body)).toEqual([1])
  })

  it('guard: the last uninstall is what counts', async () => {
    const body = `
      const second = workflowGuard.install({ globals: false })
      uninstall()
      uninstall()
      run(scopeOf('a'), () => { Promise.reject(new Error('lost')) })
      await soon()
      second()
      console.log(process.listenerCount('unhandledRejection'))
      console.log(process.listenerCount('rejectionHandled'))`
    expect(await runInstalled(body)).toEqual([0, 'a told of lost outside', '0', '0'])
  })
})

const lost = `Promise.reject(new Error('lost'))\n`
const listen = (event: string, how = 'on'): string =>
  `process.${how}('${event}', (reason, origin) =>
    console.log('${event}', reason.message, typeof origin === 'string' ? origin : 'promise'))\n`

describe('rejections of anybody else', () => {
  it.each([
    ['an error', lost],
    ['a text', `Promise.reject('lost')`],
    ['a plain object', `Promise.reject({ lost: true })`],
    ['nothing', `Promise.reject()`],
    ['a local step', `run(scopeOf('a'), () => { leave(async () => { throw new Error('lost') }) })`],
    ['a listener of theirs', listen('unhandledRejection') + lost],
    ['a listener that hears one', listen('unhandledRejection', 'once') + lost],
    ['a listener of uncaught errors', listen('uncaughtException') + lost],
    [
      'a listener that watches as well',
      listen('uncaughtExceptionMonitor') + listen('uncaughtException') + lost,
    ],
    [
      'the callback of uncaught errors',
      `process.setUncaughtExceptionCaptureCallback(({ message }) => console.log(message))\n${lost}`,
    ],
  ])('guard: %s meets what it would meet without us', async (_case, body) => {
    const bare = await children.run(preamble + body)
    for (const installed of [install, `${install}copy.install({ globals: true })\n`]) {
      const guarded = await children.run(preamble + installed + body)
      expect([guarded.code, guarded.stdout]).toEqual([bare.code, bare.stdout])
    }
  })

  it.each(['throw', 'strict', 'warn', 'none', 'warn-with-error-codes'])(
    'guard: so it is when Node runs with --unhandled-rejections=%s',
    async (mode) => {
      const option = `--unhandled-rejections=${mode}`
      const bare = await children.run(preamble + lost, option)
      const guarded = await children.run(preamble + install + lost, option)
      expect([guarded.code, guarded.stdout]).toEqual([bare.code, bare.stdout])
      expect(guarded.stderr.includes('Error: lost\n    at ')).toBe(
        bare.stderr.includes('Error: lost\n    at '),
      )
    },
  )

  it('guard: the process ends with the stack of the error', async () => {
    const { code, stderr } = await children.run(preamble + install + lost)
    expect(code).toBe(1)
    expect(stderr).toMatch(/Error: lost\n {4}at .*program-\d+\.mjs/)
  })

  it('guard: what is not an error is shown as Node shows it', async () => {
    const { code, stderr } = await children.run(`${preamble}${install}Promise.reject('a text')`)
    expect(code).toBe(1)
    expect(stderr).toContain('The promise rejected with the reason "a text".')
    expect(stderr).toContain("code: 'ERR_UNHANDLED_REJECTION'")
  })
})

describe('two copies of the package', () => {
  it.each(['workflowGuard', 'copy'])('guard: %s takes its own alone', async (name) => {
    const body = `
      copy.install({ globals: true })
      ${name}.run(scopeOf('a'), () => { Promise.reject(new Error('lost')) })`
    expect(await runInstalled(body)).toEqual([0, 'a told of lost outside'])
  })
})
