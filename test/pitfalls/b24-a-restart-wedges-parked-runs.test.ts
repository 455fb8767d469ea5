import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const flaky = defineActivity(
  { name: 'flaky', retry: { backoff: '1 minute' } },
  (_: undefined, { attempt }) => {
    if (attempt === 1) throw new Error('not yet')
    return 'at last'
  },
)
const kinds = ['message', 'stub', 'sleep', 'child', 'activity backoff', 'step backoff', 'step']

let isHanging = true
const attempts = new Map<string, number>()
const main = defineWorkflow(
  { name: 'main', messages: { go: unchecked<string>() } },
  async (kind: string, { call, messages, sleep, step }) => {
    if (kind === 'message') return messages.go.next()
    if (kind === 'stub') return call(approve, kind)
    if (kind === 'sleep') return sleep('1h').then(() => 'slept')
    if (kind === 'child') return call(nap)
    if (kind === 'activity backoff') return call(flaky)
    const options = { retry: { backoff: '1 minute' } } as const
    return step(
      'work',
      ({ attempt }) => {
        attempts.set(kind, (attempts.get(kind) ?? 0) + 1)
        if (kind === 'step') return isHanging ? createGate<string>().opened : 'done'
        if (attempt === 1) throw new Error('not yet')
        return 'at last'
      },
      options,
    )
  },
)
const nap = defineWorkflow({ name: 'nap' }, async (_: undefined, { sleep }) => {
  await sleep('1h')
  return 'napped'
})
const functions = [approve, flaky, nap, main]

describe('B24: stopped and started again with runs in every kind of wait', () => {
  it('B24: each goes on where it was, and ends', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('dev.db')
    const time = createTestTime()
    isHanging = true
    attempts.clear()
    const first = await openTestEngine({ functions, file, time })
    for (const kind of kinds) await first.engine.submit(main, kind, { id: kind.replace(' ', '-') })
    await first.settle()
    await first.stop()
    // The development server restarts with every keystroke.
    for (let restarts = 0; restarts < 5; restarts += 1) {
      const one = await openTestEngine({ functions, file, time })
      await one.advance(50)
      await one.stop()
    }
    isHanging = false
    await using last = await openTestEngine({ functions, file, time })
    const handles = await Promise.all(
      kinds.map((kind) => last.engine.get(kind.replace(' ', '-'), main)),
    )
    await handles[0]?.send('go', 'gone')
    await last.engine.complete('stub.o:1-approve_1', { type: 'ok', value: 'approved' })
    await last.advance(61_000)
    last.clock.advance(3_600_000)
    await last.advance(500)
    const values = await Promise.all(handles.map((handle) => handle.result({ timeout: 0 })))
    const expected = ['gone', 'approved', 'slept', 'napped', 'at last', 'at last', 'done']
    expect(values).toEqual(expected)
    expect(attempts.get('step backoff')).toBe(2)
    for (const handle of handles) expect(await handle.state()).toMatchObject({ attempt: 1 })
    await last.check()
  })

  it('B24: an engine that is told to stop while a run is in backoff does not wait for it', async () => {
    attempts.clear()
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(main, 'step backoff')
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    const before = world.clock.now()
    await world.stop()
    expect(world.clock.now() - before).toBeLessThanOrEqual(2_000)
  })
})
