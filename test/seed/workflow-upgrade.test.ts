/** The seed's tests of its JavaScript workflows: closing an executor, and new versions of code. */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import {
  createTestTime,
  openTestEngine,
  type TestEngine,
  type TestEngineOptions,
  typesOf,
} from '../unit/client/test-engine.ts'
import { createGate, eventsOf } from './workflow-test.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

/** One file, and one clock, for engines that come and go. */
function openPlace(): Disposable & {
  readonly engine: (options: TestEngineOptions) => Promise<TestEngine>
} {
  const folder = temporaryDirectory()
  const time = createTestTime()
  return {
    engine: (options) => openTestEngine({ file: folder.file('x.db'), time, ...options }),
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]()
    },
  }
}

describe('executor close', () => {
  it('executor_close_writes_unlocked_event: trace I, uncounted, and due at once', async () => {
    using place = openPlace()
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { step }) =>
      step('hang', ({ attempt }) => (attempt > 0 && isOpen ? 'done' : createGate<string>().opened)),
    )
    let isOpen = false
    const first = await place.engine({ functions: [main] })
    const { id } = await first.engine.submit(main)
    await first.settle()
    await first.stop()
    isOpen = true
    await using second = await place.engine({ functions: [main], started: false })
    const handle = await second.engine.get(id, main)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', attempt: 1 })
    const [unlocked] = await eventsOf(handle, 'unlocked')
    expect(unlocked).toMatchObject({ reason: 'executor closing' })
    await second.engine.start()
    await second.settle()
    expect(await handle.result({ timeout: 0 })).toBe('done')
    await second.check()
  })

  it('closing while it waits: nothing to unlock, and nothing is written', async () => {
    using place = openPlace()
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => call(approve, 'x'))
    const first = await place.engine({ functions: [main, approve] })
    const handle = await first.engine.submit(main, undefined, { id: 'm' })
    await first.settle()
    const before = await typesOf(handle)
    await first.stop()
    await using second = await place.engine({ functions: [main, approve] })
    const again = await second.engine.get('m', main)
    await second.settle()
    expect(await typesOf(again)).toEqual(before)
    await second.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'y' })
    await second.settle()
    expect(await again.result({ timeout: 0 })).toBe('y')
    await second.check()
  })
})

function versioned(version: string, sleeps: readonly string[]) {
  return defineWorkflow({ name: 'main', version }, async (_: undefined, { sleep }) => {
    for (const duration of sleeps) await sleep(duration as '1s')
    return version
  })
}

describe('auto upgrade', () => {
  it('auto_upgrade of a sleeping workflow: the new version goes on where the old one slept', async () => {
    using place = openPlace()
    const first = await place.engine({ functions: [versioned('1', ['10s'])] })
    const { id } = await first.engine.submit(versioned('1', []))
    await first.settle()
    await first.stop()
    const longer = versioned('2', ['10s', '5s'])
    await using second = await place.engine({ functions: [longer] })
    const handle = await second.engine.get(id, longer)
    await second.advance(16_000)
    expect(await handle.result({ timeout: 0 })).toBe('2')
    expect(await eventsOf(handle, 'upgrade_finished')).toMatchObject([
      { functionVersion: '2', result: 'success' },
    ])
    expect((await second.engine.list()).items).toMatchObject([{ functionVersion: '2' }])
    await second.check()
  })

  it('failed upgrade is recorded and explained, and the old version goes on', async () => {
    using place = openPlace()
    const old = versioned('1', ['10s'])
    const first = await place.engine({ functions: [old] })
    const { id } = await first.engine.submit(old)
    await first.settle()
    await first.stop()
    const second = await place.engine({ functions: [versioned('2', ['7s'])] })
    const stuck = await second.engine.get(id)
    await second.advance(12_000)
    expect(await eventsOf(stuck, 'upgrade_finished')).toMatchObject([
      { functionVersion: '2', result: 'failed', reason: expect.stringContaining('in 10000 ms') },
    ])
    const { problems } = await stuck.explain()
    expect(problems.join(' ')).toContain('It runs under version 1 of main')
    expect(problems.join(' ')).toContain('in 7000 ms')
    // It is not tried again and again, but another version is.
    const tried = await typesOf(stuck)
    await second.advance(60_000)
    expect(await typesOf(stuck)).toEqual(tried)
    await second.stop()
    await using third = await place.engine({ functions: [old] })
    const handle = await third.engine.get(id, old)
    await third.advance(1_000)
    expect(await handle.result({ timeout: 0 })).toBe('1')
    await third.check()
  })

  it('another version than the one that failed is tried', async () => {
    using place = openPlace()
    const old = versioned('1', ['10s'])
    const first = await place.engine({ functions: [old] })
    const { id } = await first.engine.submit(old)
    await first.settle()
    await first.stop()
    const second = await place.engine({ functions: [versioned('2', ['7s'])] })
    await second.advance(12_000)
    await second.stop()
    await using third = await place.engine({ functions: [versioned('3', ['10s', '1s'])] })
    await third.advance(5_000)
    const handle = await third.engine.get(id)
    expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: '3' })
    expect(await eventsOf(handle, 'upgrade_finished')).toMatchObject([
      { functionVersion: '2', result: 'failed' },
      { functionVersion: '3', result: 'success' },
    ])
    await third.check()
  })

  it('upgrade stopping at a stub: it is upgraded when the stub is completed, and not before', async () => {
    using place = openPlace()
    const code = (version: string) =>
      defineWorkflow({ name: 'main', version }, async (_: undefined, { call }) => [
        version,
        await call(approve, 'x'),
      ])
    const first = await place.engine({ functions: [code('1'), approve] })
    await first.engine.submit(code('1'), undefined, { id: 'm' })
    await first.settle()
    await first.stop()
    await using second = await place.engine({ functions: [code('2'), approve] })
    const handle = await second.engine.get('m')
    await second.settle()
    expect(await eventsOf(handle, 'upgrade_finished')).toEqual([])
    await second.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'y' })
    await second.settle()
    expect(await handle.result({ timeout: 0 })).toEqual(['2', 'y'])
    await second.check()
  })

  it('old and new side by side: each takes what it can, and every run ends', async () => {
    using place = openPlace()
    const old = versioned('1', ['1s', '1s', '1s'])
    const next = versioned('2', ['1s', '1s', '1s', '1s'])
    await using a = await place.engine({ functions: [old] })
    await using b = await place.engine({ functions: [next] })
    const handles = await a.engine.submitMany(old, Array.from({ length: 20 }))
    await a.advance(8_000)
    for (const { id } of handles) {
      const handle = await b.engine.get(id)
      const { value } = (await handle.outcome({ timeout: 0 })) as { value: unknown }
      expect(['1', '2']).toContain(value)
    }
    await a.check()
  })
})
