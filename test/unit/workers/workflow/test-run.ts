/**
 * The worker of workflows without an engine: log and inbox in memory, locks that are always
 * granted, and time that the test moves.
 */

import type { AnyFunction } from 'stele'
import { defaultCodec } from '../../../../src/base/codec.ts'
import { silentLogger } from '../../../../src/base/logger.ts'
import type { AbortReason, Run, RunWrites, WorkerResult } from '../../../../src/engine/worker.ts'
import type { CreatedEvent, ExecutionEvent, LoggedEvent } from '../../../../src/model/event.ts'
import type { StoredOutcome } from '../../../../src/model/outcome.ts'
import type { ExecutionResponse } from '../../../../src/model/response.ts'
import type { ExecutionState, LockedState } from '../../../../src/model/state.ts'
import type { ListedResponse } from '../../../../src/storage/read.ts'
import { findDefinition } from '../../../../src/workers/definition.ts'
import {
  createWorkflowWorker,
  type ParkedFault,
  type WorkflowLimits,
} from '../../../../src/workers/workflow/worker.ts'
import {
  childOf,
  delayOf,
  deploymentId,
  executorId,
  joinSet,
  runId,
} from '../../../support/storage/ids.ts'
import {
  createTestClock,
  createTestScheduler,
  eventLoopTurn,
  type TestClock,
  type TestScheduler,
} from '../../../support/test-time.ts'
import { birth, self } from './test-frame.ts'

/** How a world of runs begins. */
export interface TestRunsOptions {
  readonly input?: CreatedEvent['input']
  readonly limits?: Partial<WorkflowLimits>
  /** The version that the execution runs under. */
  readonly version?: string
}

/** One lock, and what was done while it was held. */
export interface TestRun {
  /** How it ended, once it has. */
  readonly result: () => WorkerResult | undefined
  /** What it rejected with. */
  readonly fault: () => unknown
  readonly abort: (reason: AbortReason) => void
  /** From now on, nothing that it appends is written. */
  readonly loseLock: () => void
  /** The engine takes no new work. */
  readonly close: () => void
  readonly lines: readonly string[]
  readonly stragglers: readonly Promise<unknown>[]
  /** What it was told not to be surprised by. */
  readonly silences: readonly number[]
}

/** An execution of a workflow, over all of its runs. */
export interface TestRuns {
  readonly clock: TestClock
  readonly scheduler: TestScheduler
  readonly log: readonly LoggedEvent[]
  readonly writes: readonly RunWrites[]
  /** What was found to be wrong while nobody held the lock. */
  readonly parkedFaults: readonly ParkedFault[]
  /** How often the log was read from its beginning. */
  readonly replays: () => number
  /** Types of the events that user code caused. */
  readonly types: () => readonly string[]
  /** Locks, and lets everything happen that needs no time. */
  readonly lock: () => Promise<TestRun>
  /** Tells the run that holds the lock to end. */
  readonly abort: (reason: AbortReason) => void
  /** The next append rejects with this. */
  readonly breakStorage: (cause: Error) => void
  /** From now on this code runs, in a process that remembers nothing. */
  readonly restart: (...functions: readonly AnyFunction[]) => void
  readonly append: (event: ExecutionEvent) => void
  readonly settle: () => Promise<void>
  readonly advance: (duration: number) => Promise<void>
  readonly childEnds: (set: string, outcome?: StoredOutcome, index?: number) => void
  readonly delayEnds: (set: string, result?: 'ok' | 'cancelled') => void
  readonly send: (channel: string, payload?: number | string) => void
}

/** Turns of the event loop after which nothing happens by itself in these tests. */
const quietTurns = 16

const limitsOf = (limits: Partial<WorkflowLimits>): WorkflowLimits => ({
  valueBytes: 100_000,
  errorDetailBytes: 10_000,
  eventsPerExecution: 100_000,
  warmRuns: 10,
  crashesWithoutProgress: 5,
  ...limits,
})

/** An execution of the first of these functions. */
export function testRuns(
  functions: AnyFunction | readonly AnyFunction[],
  options: TestRunsOptions = {},
): TestRuns {
  const clock = createTestClock(birth)
  const scheduler = createTestScheduler(clock, { soon: 'event_loop' })
  const all: readonly AnyFunction[] = 'name' in functions ? [functions] : functions
  const createWorker = (given: readonly AnyFunction[]) =>
    createWorkflowWorker({
      definitions: new Map(
        given.flatMap((fn) => {
          const definition = findDefinition(fn)
          return definition === undefined ? [] : [[fn.name, definition] as const]
        }),
      ),
      clock,
      scheduler,
      logger: silentLogger,
      codec: defaultCodec,
      deploymentId: deploymentId(),
      limits: limitsOf(options.limits ?? {}),
      onParkedFault: (fault) => {
        parkedFaults.push(fault)
      },
    })
  let worker = createWorker(all)
  const name = all[0]?.name ?? 'main'
  const functionId = { kind: 'workflow', name, version: options.version ?? '1' } as const
  const created: CreatedEvent = {
    type: 'created',
    function: functionId,
    scheduledAt: birth,
    deploymentId: deploymentId(),
    ...(options.input === undefined ? {} : { input: options.input }),
  }
  const log: LoggedEvent[] = [{ version: 0, createdAt: birth, event: created }]
  const responses: ListedResponse[] = []
  const writes: RunWrites[] = []
  let replays = 0
  let abort: (given: AbortReason) => void = () => undefined
  const parkedFaults: ParkedFault[] = []
  let broken: Error | undefined
  let onResponse: () => void = () => undefined

  const append = (event: ExecutionEvent): void => {
    // A copy, as a database makes one.
    log.push({ version: log.length, createdAt: clock.now(), event: structuredClone(event) })
  }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < quietTurns; turn += 1) await eventLoopTurn()
  }
  const respond = (response: ExecutionResponse, outcome?: StoredOutcome): void => {
    const same = responses.filter((one) => one.response.joinSetId === response.joinSetId)
    responses.push({
      cursor: responses.length + 1,
      createdAt: clock.now(),
      ordinal: same.length + 1,
      afterVersion: log.length - 1,
      response,
      ...(outcome === undefined ? {} : { outcome }),
    })
    onResponse()
  }
  const lock = async (): Promise<TestRun> => {
    append({
      type: 'locked',
      executorId: executorId(),
      runId: runId(),
      deploymentId: deploymentId(),
      lockExpiresAt: clock.now() + 30_000,
      retry: { maxRetries: null, backoff: 100 },
      functionVersion: '1',
    })
    let isLost = false
    let isClosing = false
    let reason: AbortReason | undefined
    let listener: (given: AbortReason) => void = () => undefined
    let result: WorkerResult | undefined
    let fault: unknown
    const lines: string[] = []
    const stragglers: Promise<unknown>[] = []
    const silences: number[] = []
    const stateNow = (): ExecutionState =>
      ({
        executionId: self,
        status: 'locked',
        function: functionId,
        version: log.length - 1,
        createdAt: birth,
      }) as never
    const run: Run = {
      executionId: self,
      created,
      state: stateNow() as LockedState,
      attempt: 1,
      deadline: clock.now() + 300_000,
      canRetry: true,
      abortReason: () => reason,
      onAbort: (given) => {
        listener = given
      },
      heartbeat: () => Promise.resolve(),
      log: (_level, message) => {
        lines.push(message)
      },
      onStraggler: (end) => {
        stragglers.push(end)
      },
      isClosing: () => isClosing,
      history: {
        readEvents: (from) => {
          replays += 1
          return Promise.resolve(structuredClone(log.slice(from)))
        },
        readResponses: (after) =>
          Promise.resolve(structuredClone(responses.filter(({ cursor }) => cursor > after))),
        append: async (given) => {
          // Written at the end of a turn of the event loop, as by a storage.
          await eventLoopTurn()
          if (broken !== undefined) throw broken
          if (isLost) return undefined
          writes.push(structuredClone(given))
          for (const event of given.events) append(event)
          return stateNow()
        },
        expectSilence: (duration) => {
          silences.push(duration)
        },
        onResponse: (given) => {
          onResponse = given
        },
      },
    }
    abort = (given) => {
      reason = given
      listener(given)
    }
    worker.run(run).then(
      (given) => {
        result = given
      },
      (cause: unknown) => {
        fault = cause
      },
    )
    await settle()
    return {
      result: () => result,
      fault: () => fault,
      abort,
      loseLock: () => {
        isLost = true
      },
      close: () => {
        isClosing = true
      },
      lines,
      stragglers,
      silences,
    }
  }
  return {
    clock,
    scheduler,
    log,
    writes,
    parkedFaults,
    replays: () => replays,
    types: () =>
      log.flatMap(({ event }) =>
        event.type === 'created' || event.type === 'locked' ? [] : [event.type],
      ),
    lock,
    abort: (reason) => {
      abort(reason)
    },
    breakStorage: (cause) => {
      broken = cause
    },
    restart: (...given) => {
      worker = createWorker(given.length === 0 ? all : given)
    },
    append,
    settle,
    advance: async (duration) => {
      await scheduler.advance(duration)
      await settle()
    },
    childEnds: (set, outcome = { type: 'ok' }, index = 1) => {
      const place = { joinSetId: joinSet(set), childExecutionId: childOf('e', set, index) }
      respond({ type: 'child_finished', ...place, finishedVersion: 2 }, outcome)
    },
    delayEnds: (set, result = 'ok') => {
      const delay = { joinSetId: joinSet(set), delayId: delayOf('e', set) }
      respond({ type: 'delay_finished', ...delay, result })
    },
    send: (channel, payload) => {
      const message = payload === undefined ? {} : { payload }
      respond({ type: 'message', joinSetId: joinSet(`m:${channel}`), ...message })
    },
  }
}

/** A run that ended with a value. */
export const finished = (value: unknown) => ({
  type: 'run_finished',
  outcome: { type: 'ok', value },
})
