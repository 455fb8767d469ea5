import { describe, expect, it } from 'vitest'
import { type ExplainFacts, explainExecution, silenceMax } from '../../../src/client/explain.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { RegisteredExecutor } from '../../../src/storage/registry.ts'
import { blocked, boxes, deployment, finished, locked, me, pending } from '../model/builders.ts'

const now = 100_000

function executor(part: Partial<RegisteredExecutor> = {}): RegisteredExecutor {
  return {
    executorId: me.executorId,
    deploymentId: deployment,
    kind: 'workflows',
    functions: ['flow'],
    host: 'host-1',
    pid: 42,
    startedAt: 0,
    lastBeatAt: now,
    ...part,
  }
}

interface Part {
  readonly event?: ExecutionEvent
  readonly setAside?: string
  readonly executors?: readonly RegisteredExecutor[]
  readonly waits?: ExplainFacts['waits']
  readonly isStub?: boolean
}

function explain(state: ExecutionState, part: Part = {}) {
  const { event = { type: 'unpaused' }, setAside, ...rest } = part
  const lastEvent = { version: state.version, createdAt: 90_000, event }
  return explainExecution({
    report: { state, lastEvent, ...(setAside === undefined ? {} : { setAside }) },
    waits: { asks: [], delays: [] },
    executors: [executor()],
    now,
    isStub: false,
    ...rest,
  })
}

describe('explainExecution', () => {
  it('finished: waits for nothing, whatever else is said of it', () => {
    expect(explain(finished(), { setAside: 'x' })).toEqual({
      summary: 'It has finished.',
      waitingFor: 'nothing',
      since: 90_000,
      problems: [],
    })
  })

  it('set aside: waits for a repair, with the reason', () => {
    expect(explain(pending(), { setAside: 'unreadable' })).toMatchObject({
      waitingFor: 'a repair',
      problems: ['The row was set aside: unreadable.'],
    })
  })

  it('cancelling: before paused', () => {
    expect(explain(pending({ cancelling: true, paused: true }))).toMatchObject({
      waitingFor: 'its cancellation',
      problems: [],
    })
  })

  it.each([
    [{ type: 'paused' } as const, []],
    [{ type: 'paused', reason: 'nondeterminism' } as const, ['nondeterminism']],
  ])('paused: by %j', (event, problems) => {
    expect(explain(pending({ paused: true }), { event })).toMatchObject({
      waitingFor: 'unpause',
      problems,
    })
  })

  it('future: says when, and after what', () => {
    const state = pending({ scheduledAt: now + 500 })
    expect(explain(state)).toMatchObject({
      summary: 'It is due in 500 ms.',
      waitingFor: 'its time',
      nextWakeAt: now + 500,
    })
    const timedOut = { type: 'temporarily_timed_out', backoffExpiresAt: now + 500 } as const
    expect(explain(state, { event: timedOut }).summary).toBe(
      'It is due in 500 ms, after a timeout.',
    )
    const failed = { type: 'temporarily_failed', backoffExpiresAt: 1, reason: 'no' } as const
    expect(explain(state, { event: failed }).summary).toBe('It is due in 500 ms, after: no.')
  })

  it('due: since its time; at its very instant too', () => {
    expect(explain(pending({ scheduledAt: now }))).toMatchObject({
      summary: 'It has been due for 0 ms and waits for a free executor.',
      waitingFor: 'an executor',
      since: now,
      problems: [],
    })
  })

  it.each<[string, readonly RegisteredExecutor[], RegExp]>([
    ['none', [], /^No engine is running/],
    ['a silent one', [executor({ lastBeatAt: now - silenceMax - 1 })], /^No engine is running/],
    ['a stopped one', [executor({ stoppedAt: now })], /^No engine is running/],
    ['one of other functions', [executor({ functions: ['x'] })], /^No running engine executes/],
  ])('executors: %s is a problem', (_, executors, problem) => {
    const { problems } = explain(pending({ scheduledAt: 0 }), { executors })
    expect(problems).toEqual([expect.stringMatching(problem)])
  })

  it('executors: a stub is advised only where there can be one', () => {
    const executors = [executor({ functions: ['x'] })]
    const workflow = pending({ scheduledAt: 0 })
    const activity = { ...workflow, function: { ...workflow.function, kind: 'activity' as const } }
    const { name } = workflow.function
    expect(explain(activity, { executors }).problems).toEqual([
      `No running engine executes the activity ${name}: add it to the \`functions\` of one, ` +
        'or complete it if it is a stub.',
    ])
    expect(explain(workflow, { executors }).problems).toEqual([
      `No running engine executes the workflow ${name}: add it to the \`functions\` of one.`,
    ])
  })

  it('executors: one that has just been silent for as long as allowed still lives', () => {
    const executors = [executor({ lastBeatAt: now - silenceMax })]
    expect(explain(pending({ scheduledAt: 0 }), { executors }).problems).toEqual([])
  })

  it('stub: waits for somebody outside', () => {
    expect(explain(pending({ scheduledAt: 0 }), { isStub: true })).toMatchObject({
      waitingFor: 'completion from outside',
      problems: [],
    })
  })

  it('locked: by whom, where, until when', () => {
    expect(explain(locked({ failures: 2 }))).toMatchObject({
      summary: 'Attempt 3 is running.',
      waitingFor: 'its run',
      heldBy: { ...me, host: 'host-1', pid: 42, alive: true },
      problems: [],
    })
  })

  it.each<[string, readonly RegisteredExecutor[]]>([
    ['unknown', []],
    ['silent', [executor({ lastBeatAt: 0 })]],
  ])('locked: by an executor that is %s', (_, executors) => {
    expect(explain(locked(), { executors })).toMatchObject({
      heldBy: { alive: false },
      problems: [expect.stringContaining('the lock ends by itself')],
    })
  })

  it('blocked: names the join sets, and the next delay that is not held back', () => {
    const waits: ExplainFacts['waits'] = {
      asks: [{ joinSetId: boxes, asks: 1, responses: 0 }],
      delays: [
        { delayId: 'Delay_1', dueAt: 1, paused: true },
        { delayId: 'Delay_2', dueAt: 2, paused: false },
      ] as never,
    }
    expect(explain(blocked(), { waits })).toMatchObject({
      summary: `It waits for a response in ${String(boxes)}.`,
      waitingFor: 'a response',
      nextWakeAt: 2,
      problems: [],
    })
    expect(explain(blocked())).toMatchObject({
      problems: ['No ask is open, so nothing can wake it.'],
    })
  })
})
