/**
 * A workflow's code without any engine: its frame, its log and its inbox, in memory. Time stands
 * still, children and delays end when the test says so, and whatever the code did can be read off.
 */

import {
  defineActivity,
  defineWorkflow,
  type Schema,
  unchecked,
  type WorkflowContext,
  type WorkflowOptions,
} from 'stele'
import { defaultCodec } from '../../../../src/base/codec.ts'
import { systemScheduler } from '../../../../src/base/time.ts'
import type { CreatedEvent, ExecutionEvent, LoggedEvent } from '../../../../src/model/event.ts'
import type { DelayId, ExecutionId } from '../../../../src/model/ids.ts'
import type { StoredOutcome } from '../../../../src/model/outcome.ts'
import type { ExecutionResponse } from '../../../../src/model/response.ts'
import type { CreateRequest } from '../../../../src/storage/create.ts'
import type { ListedResponse } from '../../../../src/storage/read.ts'
import { findDefinition, type WorkflowDefinition } from '../../../../src/workers/definition.ts'
import type { AnyFunction } from '../../../../src/workers/function-ref.ts'
import { Frame } from '../../../../src/workers/workflow/frame.ts'
import { recordStepEnds, withWait } from '../../../../src/workers/workflow/run-writes.ts'
import {
  childOf,
  delayOf,
  deploymentId,
  executionId,
  joinSet,
} from '../../../support/storage/ids.ts'

/** What a handler of a test is given. */
export type TestContext = WorkflowContext<{ readonly go: unknown; readonly stop: unknown }>

/** The code of a test. */
export type TestHandler = (context: TestContext, input: unknown) => unknown

/** An activity to call. */
export const act = defineActivity({ name: 'act' }, (n: number) => n)
/** A workflow to call. */
export const sub = defineWorkflow({ name: 'sub' }, (n: number) => n)

/** When a test's execution was created. */
export const birth = 1_000

/** What a frame begins with. */
export interface TestFrameOptions {
  readonly input?: CreatedEvent['input']
  readonly metadata?: Readonly<Record<string, string>>
  readonly scheduledAt?: number
  readonly log?: readonly LoggedEvent[]
  readonly responses?: readonly ListedResponse[]
  /** Functions that the engine knows. */
  readonly functions?: readonly AnyFunction[]
  readonly options?: Partial<WorkflowOptions<string, never, never, never, unknown, unknown, never>>
  /** The wall clock at the beginning. */
  readonly now?: number
  readonly valueBytes?: number
  readonly messages?: Readonly<Record<string, Schema>>
}

/** Code in the middle of its work. */
export interface TestFrame {
  readonly frame: Frame
  readonly handler: TestHandler
  /** What has been written, `created` first. */
  readonly log: readonly LoggedEvent[]
  readonly creations: readonly CreateRequest[]
  /** Ids of children and delays that the code cancelled, in order. */
  readonly cancelled: readonly string[]
  /** What the code logged. */
  readonly lines: readonly string[]
  /** One turn. */
  readonly turn: () => Promise<void>
  /** Turns until nothing is left to deliver, written down as the worker does. */
  readonly advance: () => Promise<void>
  /** How the handler ended, or that it has not. */
  readonly end: () => unknown
  /** Types of the events beyond `created`. */
  readonly types: () => readonly string[]
  /** Moves the wall clock. */
  readonly at: (instant: number) => TestFrame
  /** A child ends: `childEnds('o:1-act', { type: 'ok' })`. */
  readonly childEnds: (set: string, outcome?: StoredOutcome, index?: number) => TestFrame
  readonly delayEnds: (set: string, result?: 'ok' | 'cancelled', index?: number) => TestFrame
  readonly send: (channel: 'go' | 'stop', payload?: ListedPayload) => TestFrame
  /** The end of a local step is recorded. */
  readonly stepEnds: (seq: number, name: string, outcome?: StoredOutcome) => TestFrame
  /** The same log and inbox before other code, or the same code again; nothing has run yet. */
  readonly replay: (handler?: TestHandler, options?: TestFrameOptions) => TestFrame
}

type ListedPayload = Extract<ExecutionResponse, { readonly type: 'message' }>['payload']

/** Id of the execution. */
export const self: ExecutionId = executionId('e')

function defineTest(handler: TestHandler, options: TestFrameOptions): WorkflowDefinition {
  const messages = options.messages ?? { go: unchecked<unknown>(), stop: unchecked<unknown>() }
  const workflow = defineWorkflow(
    { name: 'main', ...options.options, messages },
    (input: unknown, context) => handler(context as TestContext, input),
  )
  const definition = findDefinition(workflow)
  if (definition?.kind === 'workflow') return definition
  throw new TypeError('a workflow has the definition of one')
}

/** Code that has not begun. */
export function testFrame(handler: TestHandler, options: TestFrameOptions = {}): TestFrame {
  let wall = options.now ?? birth
  const { input, metadata, scheduledAt = birth } = options
  const created: CreatedEvent = {
    type: 'created',
    function: { kind: 'workflow', name: 'main', version: '1' },
    scheduledAt,
    deploymentId: deploymentId(),
    ...(input === undefined ? {} : { input }),
    ...(metadata === undefined ? {} : { metadata }),
  }
  const known = new Map((options.functions ?? []).map((fn) => [fn.name, findDefinition(fn)]))
  const frame = new Frame({
    executionId: self,
    created,
    createdAt: birth,
    definition: defineTest(handler, options),
    codec: defaultCodec,
    deploymentId: deploymentId(),
    valueBytes: options.valueBytes ?? 1_000_000,
    errorDetailBytes: 10_000,
    findFunction: (name) => known.get(name),
    wallNow: () => wall,
    enter: (_frame, run) => run(),
  })
  const log: LoggedEvent[] = [
    ...(options.log ?? [{ version: 0, createdAt: birth, event: created }]),
  ]
  const responses: ListedResponse[] = [...(options.responses ?? [])]
  const creations: CreateRequest[] = []
  const cancelled: string[] = []
  const lines: string[] = []
  frame.add(log.slice(1), responses)
  frame.logTo(({ message }) => {
    lines.push(message)
  })

  const turn = async (): Promise<void> => {
    frame.beginTurn()
    await new Promise<void>((resolve) => systemScheduler.onQuiet(resolve))
    frame.endTurn()
  }
  const append = (events: readonly ExecutionEvent[]): void => {
    // A copy, as a database makes one.
    for (const event of structuredClone(events)) {
      log.push({ version: log.length, createdAt: wall, event })
    }
  }
  const write = (): boolean => {
    const writes = frame.takeWrites()
    creations.push(...writes.creations)
    cancelled.push(...writes.cancelledChildren, ...writes.cancelledDelays)
    const hasEnds = writes.events.some(({ type }) => type === 'step_finished')
    const isParking = !hasEnds && !frame.isClosed() && frame.steps.requested().length === 0
    append(isParking ? withWait(writes.events, frame.seen(), wall) : writes.events)
    const appended = { events: writes.events, createdAt: wall, version: log.length - 1 }
    if (hasEnds) recordStepEnds(frame, appended)
    return hasEnds
  }
  const advance = async (): Promise<void> => {
    do {
      while (frame.hasNext()) await turn()
      if (!frame.steps.hasOpen() || frame.writesPending() === 0) frame.checkAtRest()
    } while (frame.fault() === undefined && write())
  }
  const respond = (response: ExecutionResponse, outcome?: StoredOutcome): TestFrame => {
    const same = responses.filter((one) => one.response.joinSetId === response.joinSetId)
    const place = {
      cursor: responses.length + 1,
      createdAt: wall,
      ordinal: same.length + 1,
      afterVersion: log.length - 1,
    }
    const listed = { ...place, response, ...(outcome === undefined ? {} : { outcome }) }
    responses.push(listed)
    frame.add([], [listed])
    return world
  }
  const world: TestFrame = {
    frame,
    handler,
    log,
    creations,
    cancelled,
    lines,
    turn,
    advance,
    end: () => frame.end() ?? 'has not ended',
    types: () => log.slice(1).map(({ event }) => event.type),
    at: (instant) => {
      wall = instant
      return world
    },
    childEnds: (set, outcome = { type: 'ok' }, index = 1) => {
      const place = { joinSetId: joinSet(set), childExecutionId: childOf('e', set, index) }
      return respond({ type: 'child_finished', ...place, finishedVersion: 2 }, outcome)
    },
    delayEnds: (set, result = 'ok', index = 1) =>
      respond({
        type: 'delay_finished',
        joinSetId: joinSet(set),
        delayId: delayOf('e', set, index),
        result,
      }),
    send: (channel, payload) =>
      respond({
        type: 'message',
        joinSetId: joinSet(`m:${channel}`),
        ...(payload === undefined ? {} : { payload }),
      }),
    stepEnds: (seq, name, outcome = { type: 'ok' }) => {
      const place = { seq, name, afterCursor: frame.seen() }
      frame.write({ type: 'step_finished', ...place, outcome })
      return world
    },
    replay: (other = handler, given = {}) =>
      testFrame(other, {
        ...options,
        now: wall,
        ...given,
        log: structuredClone(log),
        responses: structuredClone(responses),
      }),
  }
  return world
}

/** Code that has run until it waits, or ended. */
export async function begun(
  handler: TestHandler,
  options: TestFrameOptions = {},
): Promise<TestFrame> {
  const world = testFrame(handler, options)
  await world.advance()
  return world
}

/** Where a frame cannot go on: version, expected, actual; or the reason. */
export function faultOf({ frame }: TestFrame): unknown {
  const fault = frame.fault()
  if (fault === undefined) return undefined
  if (fault.type === 'mismatch') return fault.mismatch
  return fault.type === 'foreign' ? fault.reason : fault.error
}

/** A value that the handler returned. */
export const returned = (value: unknown) => ({ type: 'returned', value })

/** The id of a child: `o:1-act`. */
export const child = (set: string, index = 1): ExecutionId => childOf('e', set, index)
/** The id of a delay: `o:1-sleep`. */
export const delay = (set: string, index = 1): DelayId => delayOf('e', set, index)

/** A schema that refuses everything. */
export const refusing: Schema<number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => ({ issues: [{ message: 'not that' }] }),
  },
}
