import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { memories } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)

/** A process that dies while it is in a step: what it began is never heard of again. */
function dying(file: string, time: ReturnType<typeof createTestTime>) {
  const life = { isDead: false }
  const never = new Promise<never>(() => undefined)
  const engine = openTestEngine({
    functions: [long, short, double],
    file,
    time,
    executor: { concurrency: 1, lockExpiry: '1s' },
    wrap: (driver) => ({
      ...driver,
      write: (protocol) => (life.isDead ? never : driver.write(protocol)),
      read: (protocol) => (life.isDead ? never : driver.read(protocol)),
      close: () => Promise.resolve(),
    }),
  })
  return { engine, life }
}

const begun: string[] = []
const long = defineWorkflow({ name: 'long' }, async (_: undefined, { step, sleep }) => {
  await step('one', () => begun.push('one'))
  await sleep('1h')
  await step('two', () => begun.push('two'))
  return 'done'
})
const short = defineWorkflow({ name: 'short' }, (input: number, { call }) => call(double, input))

describe.each(memories)('B4, $memory', ({ limits }) => {
  it('B4: with one slot, whoever waits between two steps lets the others go on', async () => {
    await using world = await openTestEngine({
      functions: [long, short, double],
      executor: { concurrency: 1 },
      limits,
    })
    const waiting = await world.engine.submitMany(long, Array.from({ length: 5 }))
    const others = await world.engine.submitMany(short, [1, 2, 3])
    await world.advance(1_000)
    for (const handle of waiting) expect(await handle.state()).toMatchObject({ status: 'blocked' })
    expect(await Promise.all(others.map((one) => one.result({ timeout: 0 })))).toEqual([2, 4, 6])
    await world.check()
  })

  it('B4: after a crash between two steps, the others need not wait for the recovered run', async () => {
    begun.length = 0
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    const { engine: opening, life } = dying(file, time)
    const dead = await opening
    const { id } = await dead.engine.submit(long)
    await dead.settle()
    life.isDead = true
    await using world = await openTestEngine({
      functions: [long, short, double],
      executor: { concurrency: 1, lockExpiry: '1s' },
      limits,
      file,
      time,
    })
    const other = await world.engine.submit(short, 4)
    await world.advance(2_000)
    expect(await other.result({ timeout: 0 })).toBe(8)
    const handle = await world.engine.get(id, long)
    expect(await handle.state()).toMatchObject({ status: 'blocked', attempt: 1 })
    world.clock.advance(3_600_000)
    await world.advance(2_000)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(begun).toEqual(['one', 'two'])
    await world.check()
  })
})
