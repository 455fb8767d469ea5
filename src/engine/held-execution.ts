/**
 * One lock held by this process, from the commit of `locked` to the commit of what became of the
 * run. Owns the version: heartbeats, history and the result go through it, in order.
 */

import { type ActorLogic, type AnyActorRef, type AnyMachineSnapshot, createActor } from 'xstate'
import type { LockedExecutionEvent } from '../../machines/locked-execution.ts'
import { isSteleError, SteleError } from '../base/error.ts'
import { guard } from '../base/logger.ts'
import type { Result } from '../base/result.ts'
import { addDuration, type Instant, type Milliseconds } from '../base/time.ts'
import type { ExecutionEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import { decideRetry } from '../model/retry.ts'
import { attemptOf, type ExecutionState, type LockedState } from '../model/state.ts'
import type { LockedExecution } from '../storage/lock.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import type { ProblemLog } from './problem-log.ts'
import type { RunLogBuffer } from './run-log-buffer.ts'
import { factsOf, settle } from './settle.ts'
import type { AbortReason, Run, Worker, WorkerResult } from './worker.ts'

/** What a held execution stands on. */
export interface HeldOptions {
  readonly context: EngineContext
  readonly lock: LockedExecution
  readonly settings: EngineFunction
  readonly worker: Worker
  /** The executor's actor. */
  readonly parent: AnyActorRef
  readonly logic: ActorLogic<AnyMachineSnapshot, LockedExecutionEvent>
  readonly logs: RunLogBuffer
  readonly logLinesMax: number
  /** Faults of the storage while results are written. */
  readonly problems: ProblemLog
  readonly onStraggler: (end: Promise<unknown>) => void
}

/** A lock held by this process. */
export interface HeldExecution {
  readonly executionId: ExecutionId
  readonly functionName: string
  /** Calls the worker and settles its result; resolves when nothing is held any more. */
  readonly run: () => Promise<void>
  /** Gives the lock back without running; resolves when that is committed, or refused. */
  readonly release: () => Promise<void>
  /** Does what is due by now: renews the lock, or ends the attempt. Gives the next instant. */
  readonly attend: (now: Instant) => Instant
  /** Tells the run to end. */
  readonly abort: (reason: AbortReason) => void
  /** Learns of a state that somebody has committed. */
  readonly notice: (state: ExecutionState) => void
  /** The state as this holder knows it: the last that it wrote itself. */
  readonly known: () => LockedState
  readonly actor: AnyActorRef
}

/** First and longest pause before a result is offered again to a storage that failed. */
const settlePauseMin: Milliseconds = 50
const settlePauseMax: Milliseconds = 2_000
/** Renewals happen this many times within a lock's life. */
const renewalsPerLock = 3

/** Takes over a lock that has just been committed. */
export function holdExecution(options: HeldOptions): HeldExecution {
  const { context, lock, settings } = options
  const { clock, storage } = context
  const { executionId } = lock.state
  const { lockedAt, deadline } = timesOf(options)
  const actor = createActor(options.logic, { id: executionId, parent: options.parent }).start()
  let known = lock.state
  let lastWrite: Promise<unknown> | undefined
  let writes = 0
  let renewedAt = lockedAt
  let renewal: Promise<void> | undefined
  let abortReason: AbortReason | undefined
  let logLines = 0
  let tellWorker: (reason: AbortReason) => void = () => undefined

  const abort = (reason: AbortReason): void => {
    if (isFinal(abortReason)) return
    abortReason = reason
    guard(() => {
      tellWorker(reason)
    })
  }

  const supersede = (reason: AbortReason): void => {
    actor.send({ type: 'superseded' })
    abort(reason)
  }

  /** One write at a time, each at the version that the one before it left. */
  const write = async (event: ExecutionEvent, at: Instant): Promise<Written> => {
    const before = lastWrite
    const turn = (async () => {
      await before
      const { version } = known
      return storage.append({
        executionId,
        version: version + 1,
        events: [{ event, createdAt: at }],
        known,
      })
    })()
    lastWrite = turn.catch(() => undefined)
    writes += 1
    try {
      return await turn
    } finally {
      writes -= 1
    }
  }

  const renew = async (): Promise<void> => {
    const now = clock.now()
    const lockExpiresAt = Math.min(addDuration(now, settings.lockExpiry), deadline)
    if (lockExpiresAt <= known.lockExpiresAt) return
    const written = await write({ ...lock.locked, lockExpiresAt }, now)
    if (!written.ok) {
      supersede(reasonOf(written.error))
      return
    }
    if (written.value.status === 'locked') known = written.value
    renewedAt = now
    actor.send({ type: 'extended' })
  }

  const renewOnce = (): Promise<void> => {
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  const offer = async (event: ExecutionEvent, at: Instant): Promise<void> => {
    for (let pause = settlePauseMin; ; pause = Math.min(pause * 2, settlePauseMax)) {
      try {
        const written = await write(event, at)
        options.problems.worked()
        actor.send(written.ok ? { type: stateAfter(event) } : { type: 'superseded' })
        return
      } catch (cause) {
        options.problems.failed(cause)
        if (!isPassing(cause) || abortReason === 'released') break
      }
      await new Promise<void>((resolve) => context.scheduler.after(pause, resolve))
    }
    actor.send({ type: 'superseded' })
  }

  const settleResult = async (result: WorkerResult): Promise<void> => {
    actor.send({ type: 'settle' })
    if (isLost(abortReason)) return
    const endedAt = clock.now()
    const event = settle(result, factsOf(known, endedAt))
    if (event === undefined) actor.send({ type: 'parked' })
    else await offer(event, endedAt)
  }

  const unlisten = storage.notifications.onExecution(executionId, (state) => {
    if (state !== undefined) notice(state)
  })

  const notice = (state: ExecutionState): void => {
    // What is being written now may be what is told; the answer to the write will say.
    if (writes > 0 || state.version <= known.version) return
    supersede(isCancelled(state) ? 'cancelled' : 'superseded')
  }

  const run: Run = {
    executionId,
    created: lock.created,
    state: lock.state,
    attempt: attemptOf(lock.state),
    deadline,
    canRetry: canRetry(lock.state, lockedAt),
    abortReason: () => abortReason,
    onAbort: (listener) => {
      tellWorker = listener
      if (abortReason !== undefined) listener(abortReason)
    },
    heartbeat: async () => {
      if (isLost(abortReason)) throw lockLost(executionId)
      if (clock.now() - renewedAt < settings.lockExpiry / renewalsPerLock) return
      await renewOnce()
      if (isLost(abortReason)) throw lockLost(executionId)
    },
    log: (level, message, fields) => {
      logLines += 1
      if (logLines > options.logLinesMax) return
      options.logs.add({
        executionId,
        runId: lock.state.lastOwner.runId,
        createdAt: clock.now(),
        level,
        message,
        ...(fields === undefined ? {} : { fields }),
      })
    },
    onStraggler: options.onStraggler,
  }

  return {
    executionId,
    functionName: settings.id.name,
    actor,
    known: () => known,
    abort,
    notice,
    run: async () => {
      actor.send({ type: 'run' })
      const result = await runWorker(options.worker, run)
      await settleResult(result)
      unlisten()
    },
    release: async () => {
      actor.send({ type: 'run' })
      await settleResult({ type: 'executor_closing' })
      unlisten()
    },
    attend: (now) => {
      if (now >= deadline) {
        abort('timed_out')
        return Number.POSITIVE_INFINITY
      }
      const renewAt = renewedAt + settings.lockExpiry / renewalsPerLock
      if (known.lockExpiresAt >= deadline) return deadline
      if (now < renewAt) return Math.min(renewAt, deadline)
      renewOnce().catch(options.problems.failed)
      return Math.min(now + settings.lockExpiry / renewalsPerLock, deadline)
    },
  }
}

type Written = Result<ExecutionState, Refusal>

/** When the lock began, and when the attempt's time is up. */
function timesOf({ lock, settings }: HeldOptions): { lockedAt: Instant; deadline: Instant } {
  // The first lock lasts the shorter of the two, so its beginning can be read off its end.
  const lockedAt = lock.state.lockExpiresAt - firstLockLength(settings)
  return { lockedAt, deadline: addDuration(lockedAt, settings.timeout) }
}

/** How long the first lock of a run lasts. */
export function firstLockLength({ lockExpiry, timeout }: EngineFunction): Milliseconds {
  return Math.min(lockExpiry, timeout)
}

async function runWorker(worker: Worker, run: Run): Promise<WorkerResult> {
  try {
    return await worker.run(run)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the worker failed'
    if (run.state.function.kind === 'activity') return { type: 'activity_trap', reason }
    return { type: 'fatal_error', fatal: { type: 'workflow_trap', reason } }
  }
}

function canRetry({ executionId, failures, retry }: LockedState, failedAt: Instant): boolean {
  return decideRetry({ executionId, failures, retry, failedAt }) !== undefined
}

/** Faults that end by themselves, or when somebody repairs the disk. */
function isPassing(cause: unknown): boolean {
  return (
    isSteleError(cause, 'storage_unavailable') ||
    isSteleError(cause, 'storage_full') ||
    isSteleError(cause, 'storage_read_only')
  )
}

/** After these the run has nothing to say any more. */
function isLost(reason: AbortReason | undefined): boolean {
  return reason === 'cancelled' || reason === 'superseded'
}

function isFinal(reason: AbortReason | undefined): boolean {
  return isLost(reason) || reason === 'released'
}

function isCancelled(state: ExecutionState): boolean {
  return state.status === 'finished' ? state.failureKind === 'cancelled' : state.cancelling
}

function reasonOf(refusal: Refusal): AbortReason {
  return refusal.kind === 'illegal_state' && refusal.reason === 'cancelling'
    ? 'cancelled'
    : 'superseded'
}

function lockLost(executionId: ExecutionId): SteleError {
  return new SteleError(
    'lock_lost',
    `The lock of ${executionId} is lost: it was cancelled, or another run has taken over. ` +
      'Stop here; nothing this run returns will be recorded.',
    { fields: { executionId } },
  )
}

function stateAfter(event: ExecutionEvent): LockedExecutionEvent['type'] {
  switch (event.type) {
    case 'temporarily_failed':
    case 'temporarily_timed_out':
    case 'unlocked':
    case 'finished':
      return event.type
    default:
      return 'parked'
  }
}
