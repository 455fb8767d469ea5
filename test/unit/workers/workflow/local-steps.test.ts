import { isExecutionError } from 'stele'
import { describe, expect, it } from 'vitest'
import { joinSet } from '../../../support/storage/ids.ts'
import { begun, delay, faultOf, returned, type TestFrame, type TestHandler } from './test-frame.ts'

const one: TestHandler = ({ step }) => step('a', () => 1)

/** The first attempt of a step has failed, and the next one waits for a delay. */
async function failOnce(world: TestFrame, seq: number): Promise<void> {
  const { frame } = world
  const joinSetId = joinSet(`o:retry-${seq}-1`)
  const step = frame.steps.requested().find(({ call }) => call.seq === seq)
  if (step === undefined) throw new TypeError('there is no such step')
  const intent = { type: 'at', at: 9_000 } as const
  const failed = { seq, name: step.call.name, attempt: 1, dueAt: 9_000, reason: 'no' }
  const request = { kind: 'delay', delayId: delay(joinSetId), dueAt: 9_000, intent } as const
  frame.write({ type: 'step_failed', ...failed })
  frame.write({ type: 'join_set_create', seq, joinSetId })
  frame.write({ type: 'join_set_request', seq, joinSetId, ...request })
  frame.write({ type: 'join_next', seq, joinSetId, closing: false })
  step.failures = 1
  frame.steps.delay(step)
  await world.advance()
}

describe('LocalSteps', () => {
  it('add: a step that the log does not know wants to run', async () => {
    const world = await begun(one)
    const [step] = world.frame.steps.requested()
    expect(step).toMatchObject({ status: 'requested', failures: 0, notBefore: 0 })
    expect(step?.call).toMatchObject({
      seq: 1,
      name: 'a',
      retry: { maxRetries: 5, backoff: 100 },
      timeout: 300_000,
    })
    expect(world.frame.steps.hasOpen()).toBe(true)
    expect(world.types()).toEqual([])
  })

  it('deliver: a value is a copy of what was recorded, each time', async () => {
    const world = await begun(async ({ step }) => {
      const value = (await step('a', () => 1)) as unknown as { n: number }
      value.n += 1
      return value
    })
    world.stepEnds(1, 'a', { type: 'ok', value: { n: 1 } })
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    expect([world.end(), cold.end()]).toEqual([returned({ n: 2 }), returned({ n: 2 })])
  })

  it('deliver: nothing is undefined', async () => {
    const world = await begun(one)
    world.stepEnds(1, 'a')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('deliver: a failure rejects alike live and replayed, with what was thrown as its cause', async () => {
    const world = await begun(one)
    const error = { name: 'RangeError', message: 'far', code: 'E_FAR' }
    world.stepEnds(1, 'a', { type: 'execution_failure', kind: 'uncategorized', error })
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    for (const { end } of [world, cold]) {
      const { error: thrown } = end() as { error: Error }
      expect(isExecutionError(thrown)).toBe(true)
      expect(thrown).toMatchObject({
        executionId: 'e',
        functionName: 'a',
        outcome: { type: 'execution_failure', kind: 'uncategorized' },
        cause: { name: 'RangeError', code: 'E_FAR' },
      })
      expect(thrown).not.toHaveProperty('outcome.error')
    }
  })

  it('deliver: a value that the codec cannot read rejects', async () => {
    const world = await begun(one)
    world.stepEnds(1, 'a', { type: 'ok', value: { $devalue: 'nonsense' } })
    await world.advance()
    expect(world.end()).toMatchObject({ error: { code: 'value_unreadable' } })
  })

  it('order: steps end in the order of their ends, not of their calls', async () => {
    const seen: string[] = []
    const world = await begun(({ step }) =>
      Promise.all([
        step('a', () => 1).then(() => seen.push('a')),
        step('b', () => 1).then(() => seen.push('b')),
      ]),
    )
    world.stepEnds(2, 'b').stepEnds(1, 'a')
    await world.advance()
    await world.replay().advance()
    expect(seen).toEqual(['b', 'a', 'b', 'a'])
  })

  it('replay: a step that has ended does not want to run', async () => {
    const world = await begun(one)
    world.stepEnds(1, 'a', { type: 'ok', value: 5 })
    await world.advance()
    const cold = world.replay()
    await cold.turn()
    expect(cold.frame.steps.requested()).toEqual([])
    expect(cold.frame.steps.hasOpen()).toBe(true)
    await cold.advance()
    expect(cold.end()).toEqual(returned(5))
  })

  it('replay: failures are remembered, and when the next attempt may begin', async () => {
    const world = await begun(one)
    const failed = { seq: 1, name: 'a', reason: 'no' }
    world.frame.write({ type: 'step_failed', ...failed, attempt: 1, dueAt: 2_000 })
    world.frame.write({ type: 'step_failed', ...failed, attempt: 2, dueAt: 3_000 })
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    const [step] = cold.frame.steps.requested()
    expect(step).toMatchObject({ failures: 2, notBefore: 3_000 })
  })

  it('delay: a step that waits for one does not want to run, until it has ended', async () => {
    const world = await begun(one)
    await failOnce(world, 1)
    expect(world.frame.steps.requested()).toEqual([])
    const cold = world.replay()
    await cold.advance()
    expect(cold.frame.steps.requested()).toEqual([])
    for (const either of [world, cold]) {
      either.delayEnds('o:retry-1-1', 'cancelled')
      await either.advance()
      const [step] = either.frame.steps.requested()
      expect(step).toMatchObject({ status: 'requested', failures: 1, notBefore: 0 })
    }
  })

  it('delay: the code is told nothing of it, its time included', async () => {
    const world = await begun(async ({ step, messages, now }) => {
      const done = step('a', () => 1)
      await messages.go.next()
      const heardAt = now()
      await done
      return heardAt
    })
    await failOnce(world, 1)
    world.at(9_000).delayEnds('o:retry-1-1')
    await world.advance()
    // Sent by another process, whose clock is behind.
    world.at(5_000).send('go')
    await world.advance()
    world.at(9_500).stepEnds(1, 'a')
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
    expect(world.end()).toEqual(returned(5_000))
  })

  it('abandon: nobody waits for what is open', async () => {
    const { frame } = await begun(one)
    frame.steps.abandon()
    expect(frame.steps.hasOpen()).toBe(false)
  })
})

describe('steps and the order of calls', () => {
  it('mismatch: another name', async () => {
    const world = await begun(one)
    world.stepEnds(1, 'a')
    await world.advance()
    const other = world.replay(({ step }) => step('b', () => 1))
    await other.advance()
    expect(faultOf(other)).toEqual({
      version: 1,
      expected: 'call 1 is step "a"',
      actual: 'call 1 is step "b"',
    })
  })

  it('mismatch: a step where the log has another call', async () => {
    const world = await begun(({ sleep }) => sleep(1))
    const other = world.replay(one)
    await other.advance()
    expect(faultOf(other)).toEqual({
      version: 1,
      expected: 'call 1 opens join set o:1-sleep',
      actual: 'call 1 is step "a"',
    })
  })

  it('mismatch: another call where the log has a step', async () => {
    const world = await begun(one)
    world.stepEnds(1, 'a')
    await world.advance()
    const other = world.replay(({ sleep }) => sleep(1))
    await other.advance()
    expect(faultOf(other)).toEqual({
      version: 1,
      expected: 'call 1 is step "a"',
      actual: 'call 1 opens join set o:1-sleep',
    })
  })

  it('mismatch: one that only has failed is compared too', async () => {
    const world = await begun(one)
    const failed = { seq: 1, name: 'a', attempt: 1, dueAt: 2_000, reason: 'no' }
    world.frame.write({ type: 'step_failed', ...failed })
    await world.advance()
    const other = world.replay(({ step }) => step('b', () => 1))
    await other.advance()
    expect(faultOf(other)).toMatchObject({ version: 1, expected: 'call 1 is step "a"' })
  })
})
