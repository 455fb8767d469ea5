import { type AnyFunction, defineWorkflow, type Logger } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories, pauseReason } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const banned: readonly (readonly [string, () => unknown])[] = [
  ['setTimeout', () => setTimeout(() => undefined, 1)],
  ['setInterval', () => setInterval(() => undefined, 1)],
  ['setImmediate', () => setImmediate(() => undefined)],
  ['fetch', () => fetch('http://localhost')],
]

/** A logger that keeps its warnings. */
function listening() {
  const warnings: string[] = []
  const keep = (_fields: object, message?: string): void => {
    warnings.push(message ?? '')
  }
  const ignore = (): void => undefined
  const logger: Logger = { debug: ignore, info: ignore, warn: keep, error: keep }
  return { warnings, logger }
}

describe.each(memories)('B71, $memory', ({ limits }) => {
  it('B71: the clock and chance of the process are those of the run, with a warning', async () => {
    const { warnings, logger } = listening()
    const seen: unknown[] = []
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
      const look = () => [Date.now(), new Date().getTime(), Math.random(), now()]
      const before = look()
      await sleep('1h')
      const after = look()
      seen.push([before, after])
      return [before, after]
    })
    await using world = await openTestEngine({ functions: [main], limits, logger })
    world.clock.set(1_000)
    const handle = await world.engine.submit(main)
    await world.settle()
    world.clock.set(3_601_000)
    await world.advance(10)
    const [before, after] = await handle.result({ timeout: 0 })
    expect(before).toEqual([1_000, 1_000, expect.any(Number), 1_000])
    expect(after).toEqual([3_601_000, 3_601_000, expect.any(Number), 3_601_000])
    expect(warnings.filter((text) => text.includes('main')).length).toBeGreaterThan(0)
    await world.check()
  })

  it.each(banned)(
    'B71: %s throws there, names what to use, and fails that workflow only',
    async (name, use) => {
      const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep }) => {
        await sleep('1s')
        use()
      })
      const other = defineWorkflow({ name: 'other' }, async (_: undefined, { step, sleep }) => {
        await sleep('1s')
        // A local step is not workflow code.
        return step('free', async () => {
          await new Promise((resolve) => {
            setImmediate(resolve)
          })
          return Date.now() > 1_000_000_000_000
        })
      })
      await using world = await openTestEngine({ functions: [main, other], limits })
      const handle = await world.engine.submit(main)
      const good = await world.engine.submit(other)
      await world.advance(1_100)
      expect(await handle.outcome({ timeout: 0 })).toMatchObject({
        kind: 'uncategorized',
        reason: expect.stringContaining(`\`${name}\``),
      })
      await world.settle()
      expect(await good.result({ timeout: 0 })).toBe(true)
      await world.check()
    },
  )
})

it('B71: code outside keeps the real ones, while it runs and after', async () => {
  const { setTimeout: realTimeout } = globalThis
  const main = defineWorkflow({ name: 'main' }, (_: undefined, { sleep }) => sleep('1s'))
  const world = await openTestEngine({ functions: [main as AnyFunction as typeof main] })
  await world.engine.submit(main)
  await world.advance(1_100)
  expect(Date.now()).toBeGreaterThan(1_000_000_000_000)
  expect(Math.random()).not.toBe(Math.random())
  await world.stop()
  expect(globalThis.setTimeout).toBe(realTimeout)
})

it('B71: guard: false leaves the globals alone', async () => {
  const main = defineWorkflow({ name: 'main' }, () => Date.now())
  await using world = await openTestEngine({ functions: [main], guard: false })
  const handle = await world.engine.submit(main)
  await world.settle()
  expect(await handle.result({ timeout: 0 })).toBeGreaterThan(1_000_000_000_000)
})

it('B71: a call of the context after a foreign await is told, and repaired by an unpause', async () => {
  const gate = createGate()
  let isRepaired = false
  const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep }) => {
    await Promise.race([sleep('1 day'), isRepaired ? undefined : gate.opened])
    await sleep('1s')
    return 'done'
  })
  await using world = await openTestEngine({ functions: [main] })
  const handle = await world.engine.submit(main)
  await world.settle()
  gate.open()
  await world.settle()
  world.clock.advance(24 * 3_600_000)
  await world.advance(100)
  expect(await pauseReason(handle)).toContain('while the workflow was not running')
  isRepaired = true
  await handle.unpause()
  await world.advance(1_200)
  expect(await handle.result({ timeout: 0 })).toBe('done')
  await world.check()
})
