import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Driver } from '../../src/storage/driver.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const waiting = 1_000
const seconds = 10

const noop = defineActivity({ name: 'noop' }, () => undefined)
const main = defineWorkflow(
  { name: 'main', messages: { go: unchecked<string>() } },
  (_: undefined, { messages }) => messages.go.next(),
)
const other = defineActivity<'other', undefined, void>({ name: 'other' }).stub()
const functions = [noop, main]

/** Counts transactions on their way to the driver. */
function createCounter() {
  let count = 0
  const wrap = (driver: Driver): Driver => ({
    ...driver,
    write: (protocol) => {
      count += 1
      return driver.write(protocol)
    },
    read: (protocol) => {
      count += 1
      return driver.read(protocol)
    },
  })
  const take = (): number => {
    const taken = count
    count = 0
    return taken
  }
  return { wrap, take }
}

/** Engines on one file, and 1,000 executions that wait for a message. */
async function openCrowd(file: string) {
  const time = createTestTime()
  const { wrap, take } = createCounter()
  const open = () => openTestEngine({ functions, file, time, wrap })
  const first = await open()
  const second = await open()
  const worlds = [first, second, await open()]
  const handles = await first.engine.submitMany(main, Array<undefined>(waiting).fill(undefined))
  await time.advance(1_000)
  const perSecond = async (): Promise<number> => {
    take()
    await time.advance(1_000 * seconds)
    return take() / seconds / worlds.length
  }
  return {
    first,
    second,
    handles,
    perSecond,
    [Symbol.asyncDispose]: async () => {
      for (const world of worlds) await world.stop()
    },
  }
}

describe('B10: 1,000 executions that wait, under three engines', () => {
  it('B10: idle, each engine asks as often as its slow polls say, however many wait', async () => {
    using folder = temporaryDirectory()
    await using crowd = await openCrowd(folder.file('idle.db'))
    const { items } = await crowd.first.engine.list({ status: 'blocked' }, { limit: waiting })
    expect(items).toHaveLength(waiting)
    const perSecond = await crowd.perSecond()
    console.log(`B10: ${perSecond} transactions a second and engine, idle`)
    // Two executors at 5 polls a second and the watcher at 10, each with a look ahead.
    expect(perSecond).toBeLessThan(60)
  })

  it('B10: 1,000 who wait for results ask no more often than one does', {
    timeout: 60_000,
  }, async () => {
    using folder = temporaryDirectory()
    await using crowd = await openCrowd(folder.file('results.db'))
    const { first, second, handles, perSecond } = crowd
    for (const handle of handles) handle.result().catch(() => undefined)
    const idle = await perSecond()
    // Others commit all the time: every look finds that something has changed.
    let isOver = false
    const commit = (): void => {
      if (isOver) return
      first.scheduler.after(20, commit)
      void second.engine.submit(other)
    }
    commit()
    const busy = await perSecond()
    isOver = true
    console.log(`B10: ${idle} a second and engine with 1,000 results awaited, ${busy} when busy`)
    expect(idle).toBeLessThan(80)
    expect(busy).toBeLessThan(400)
  })
})
