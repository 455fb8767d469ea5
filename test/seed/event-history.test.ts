/**
 * The seed's tests of its event history, on workflows of users: asks and responses, replays that
 * stop early, looks without waiting. Each resumed where it waits, and replayed from its log.
 */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine, typesOf } from '../unit/client/test-engine.ts'
import { eventsOf, historyOf, memories, rejectionOf, toCode } from './workflow-test.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

describe.each(memories)('event history, $memory', ({ limits }) => {
  it('regular_join_next_child: the run waits, and the next one has the value', async () => {
    const main = defineWorkflow({ name: 'main' }, (input: number, { call }) => call(double, input))
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main, 21)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(42)
    expect(await typesOf(handle)).toEqual([
      'created',
      'locked',
      'join_set_create',
      'join_set_request',
      'join_next',
      'locked',
      'finished',
    ])
    const [ask] = await eventsOf(handle, 'join_next')
    expect(ask).toMatchObject({ closing: false, requestedFunction: 'double', seenCursor: 0 })
    await world.check()
  })

  it('start_async_respond_then_join_next: a response that is there already is no reason to wait', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const set = joinSet('set', { of: double })
      set.submit(double, 4)
      await sleep('1s')
      const end = await set.next()
      return [end.id, end.value]
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    expect((await handle.log()).responses).toMatchObject([{ type: 'child_finished' }])
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(1_100)
    expect(await handle.result({ timeout: 0 })).toEqual(['m.n:set_1', 8])
    // The second ask does not block: the run had the response in its hands.
    const asks = await eventsOf(handle, 'join_next')
    expect(asks.map((ask) => 'runExpiresAt' in ask)).toEqual([true, false])
    await world.check()
  })

  it('create_two_non_blocking_childs_then_two_join_nexts: responses come in the order of arrival', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => {
      const set = joinSet('set', { of: approve })
      set.submit(approve, 'first')
      set.submit(approve, 'second')
      const one = await set.next()
      const two = await set.next()
      return [one, two].map(({ id, name, outcome }) => [id, name, outcome])
    })
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    await world.engine.complete('m.n:set_2', { type: 'ok', value: 'two' })
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.engine.complete('m.n:set_1', { type: 'ok', value: 'one' })
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([
      ['m.n:set_2', 'approve', { type: 'ok', value: 'two' }],
      ['m.n:set_1', 'approve', { type: 'ok', value: 'one' }],
    ])
    await world.check()
  })

  it('schedule_event_should_be_processed: replayed, never repeated, nothing left over', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { schedule, sleep }) => {
      const { id } = schedule(double, 3)
      await sleep('1s')
      return id
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_100)
    const id = await handle.result({ timeout: 0 })
    expect(await eventsOf(handle, 'schedule')).toMatchObject([
      { executionId: id, function: { name: 'double' }, input: 3, intent: { type: 'now' } },
    ])
    const scheduled = await world.engine.get(id, double)
    expect(await scheduled.result({ timeout: 0 })).toBe(6)
    const { events } = await scheduled.log()
    expect(events[0]).toMatchObject({ scheduledBy: handle.id })
    expect(events[0]).not.toHaveProperty('parent')
    await world.check()
  })

  it('submit_stub_await: completed from outside, in two runs', async () => {
    const main = defineWorkflow({ name: 'main' }, (who: string, { call }) => call(approve, who))
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, 'ann', { id: 'm' })
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'yes' }, approve)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('yes')
    expect(await eventsOf(handle, 'locked')).toHaveLength(2)
    await world.check()
  })

  it('stubbing_many_times_with_same_value_should_be_ok, and with another one is refused', async () => {
    const main = defineWorkflow({ name: 'main' }, (who: string, { call }) => call(approve, who))
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const { engine } = world
    const handle = await engine.submit(main, 'ann', { id: 'm' })
    await world.settle()
    const stub = 'm.o:1-approve_1'
    await engine.complete(stub, { type: 'ok', value: 'yes' })
    await engine.complete(stub, { type: 'ok', value: 'yes' })
    const refused = await rejectionOf(engine.complete(stub, { type: 'ok', value: 'no' }))
    expect(refused).toMatchObject({ code: 'already_finished' })
    await world.settle()
    await engine.complete(stub, { type: 'ok', value: 'yes' })
    expect(await handle.result({ timeout: 0 })).toBe('yes')
    expect((await handle.log()).responses).toHaveLength(1)
    await world.check()
  })

  it('join_next_try_processes_response: found, and found again by a replay', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const set = joinSet('set', { of: double })
      set.submit(double, 4)
      await sleep('1s')
      const found = set.tryNext()
      await sleep('1s')
      return [found?.id, found?.value]
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(2_200)
    expect(await handle.result({ timeout: 0 })).toEqual(['m.n:set_1', 8])
    expect(await eventsOf(handle, 'join_next_try')).toMatchObject([{ outcome: 'found' }])
    await world.check()
  })

  it('join_next_try_all_processed_should_be_persisted, and an ask after it is one too many', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const set = joinSet('set', { of: double })
      set.submit(double, 4)
      await set.next()
      const none = set.tryNext()
      const code = await set.next().catch(toCode)
      await sleep('1s')
      return [none, code]
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_100)
    expect(await handle.result({ timeout: 0 })).toEqual([undefined, 'join_set_exhausted'])
    expect(await eventsOf(handle, 'join_next_try')).toMatchObject([{ outcome: 'all_processed' }])
    expect(await historyOf(handle)).toContain('join_next_too_many')
    await world.check()
  })
})

describe('event history, other code', () => {
  it('trimmed_second_execution_should_result_in_nondeterminism_detected: what is left over is told', async () => {
    let isTrimmed = false
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, joinSet }) => {
      await call(double, 1)
      if (isTrimmed) return 'early'
      joinSet('more', { of: double }).submit(double, 2)
      return call(approve, 'late')
    })
    const limits = { warmRuns: 0 }
    const functions = [double, approve, main]
    await using world = await openTestEngine({ functions, limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    isTrimmed = true
    await world.engine.complete('m.o:2-approve_1', { type: 'ok', value: 'done' })
    await world.settle()
    expect(await handle.state()).toMatchObject({ paused: true })
    const [problem] = (await handle.explain()).problems
    expect(problem).toContain('opens join set n:more')
    isTrimmed = false
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('done')
    await world.check()
  })
})
