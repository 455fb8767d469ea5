/**
 * One lock held by this process, from the commit of `locked` to the commit of what became of the
 * run. Owns the version: heartbeats, history and the result go through it, in order.
 */

import { type ActorLogic, type AnyActorRef, type AnyMachineSnapshot, createActor } from 'xstate'
import type { LockedExecutionEvent } from '../../machines/locked-execution.ts'
import { isSteleError, SteleError } from '../base/error.ts'
import type { JsonObject } from '../base/json.ts'
import { guard } from '../base/logger.ts'
import { addDuration, type Cancel, type Instant, type Milliseconds } from '../base/time.ts'
import type { CreatedEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import { decideRetry } from '../model/retry.ts'
import { attemptOf, type ExecutionState, type LockedState } from '../model/state.ts'
import type { LockedExecution } from '../storage/lock.ts'
import type { LogLevel } from '../storage/run-log.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'
import type { ProblemLog } from './problem-log.ts'
import type { RunLogBuffer } from './run-log-buffer.ts'
import { type EndEvent, factsOf, settle } from './settle.ts'
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
  return new Held(options)
}

/** Both sides of a held lock: what its executor does with it, and what its worker sees of it. */
class Held implements HeldExecution, Run {
  readonly executionId: ExecutionId
  readonly functionName: string
  readonly created: CreatedEvent
  readonly state: LockedState
  readonly deadline: Instant
  readonly actor: AnyActorRef
  readonly #options: HeldOptions
  readonly #log: LogWriter
  readonly #unlisten: Cancel
  #renewedAt: Instant
  #renewal: Promise<void> | undefined
  #abortReason: AbortReason | undefined
  #logLines = 0
  #tellWorker: ((reason: AbortReason) => void) | undefined
  #answer: ((result: WorkerResult) => void) | undefined
  #toldMeanwhile: ExecutionState | undefined

  constructor(options: HeldOptions) {
    const { context, lock, settings, parent } = options
    const { lockedAt, deadline } = timesOf(options)
    this.#options = options
    this.executionId = lock.state.executionId
    this.functionName = settings.id.name
    this.created = lock.created
    this.state = lock.state
    this.deadline = deadline
    this.#log = createLogWriter(context.storage, lock.state)
    this.#renewedAt = lockedAt
    this.actor = createActor(options.logic, { id: this.executionId, parent }).start()
    this.#unlisten = context.storage.notifications.onExecution(this.executionId, (state) => {
      if (state !== undefined) this.notice(state)
    })
  }

  // ── for the executor ──────────────────────────────────────────────────────────────────────────

  async run(): Promise<void> {
    this.actor.send({ type: 'run' })
    const isLate = this.#now() >= this.deadline
    const result = isLate ? ({ type: 'temporary_timeout' } as const) : await this.#callWorker()
    await this.#settle(result)
  }

  async release(): Promise<void> {
    this.actor.send({ type: 'run' })
    await this.#settle({ type: 'executor_closing' })
  }

  attend(now: Instant): Instant {
    if (now >= this.deadline) {
      this.abort('timed_out')
      return Number.POSITIVE_INFINITY
    }
    if (this.known().lockExpiresAt >= this.deadline) return this.deadline
    const renewAt = this.#renewedAt + this.#renewalInterval()
    if (now < renewAt) return Math.min(renewAt, this.deadline)
    this.#renewOnce().catch((cause: unknown) => {
      this.#options.problems.failed(cause)
    })
    return Math.min(now + this.#renewalInterval(), this.deadline)
  }

  abort(reason: AbortReason): void {
    if (isFinal(this.#abortReason)) return
    this.#abortReason = reason
    guard(() => this.#tellWorker?.(reason))
    // A worker that obeys has answered by the end of this turn; `stopping` leaves it a moment.
    if (reason === 'stopping' || this.#answer === undefined) return
    this.#options.context.scheduler.soon(() => this.#answer?.(resultWithout(reason)))
  }

  notice(state: ExecutionState): void {
    // What is being written now may be what is told; the answer to the write will say.
    if (this.#log.isWriting()) this.#toldMeanwhile = state
    else if (state.version > this.known().version) this.#supersede(reasonFor(state))
  }

  known(): LockedState {
    return this.#log.known()
  }

  // ── for the worker ────────────────────────────────────────────────────────────────────────────

  get attempt(): number {
    return attemptOf(this.state)
  }

  get canRetry(): boolean {
    const { executionId, failures, retry } = this.state
    return decideRetry({ executionId, failures, retry, failedAt: this.#renewedAt }) !== undefined
  }

  abortReason(): AbortReason | undefined {
    return this.#abortReason
  }

  onAbort(listener: (reason: AbortReason) => void): void {
    this.#tellWorker = listener
    if (this.#abortReason !== undefined) listener(this.#abortReason)
  }

  async heartbeat(): Promise<void> {
    this.#requireLock()
    if (this.#now() - this.#renewedAt < this.#renewalInterval()) return
    await this.#renewOnce()
    this.#requireLock()
  }

  log(level: LogLevel, message: string, fields?: JsonObject): void {
    this.#logLines += 1
    if (this.#logLines > this.#options.logLinesMax) return
    this.#options.logs.add({
      executionId: this.executionId,
      runId: this.state.lastOwner.runId,
      createdAt: this.#now(),
      level,
      message,
      ...(fields === undefined ? {} : { fields }),
    })
  }

  onStraggler(end: Promise<unknown>): void {
    this.#options.onStraggler(end)
  }

  /** The worker's answer, or ours when the run was told to end and goes on. */
  #callWorker(): Promise<WorkerResult> {
    return new Promise((resolve) => {
      const end = runWorker(this.#options.worker, this)
      this.#answer = (result) => {
        this.#answer = undefined
        this.onStraggler(end)
        resolve(result)
      }
      void end.then((result) => {
        this.#answer = undefined
        resolve(result)
      })
    })
  }

  // ── the log ───────────────────────────────────────────────────────────────────────────────────

  async #settle(result: WorkerResult): Promise<void> {
    this.actor.send({ type: 'settle' })
    if (!isLost(this.#abortReason)) {
      // A renewal that is under way decides which version the result goes to.
      await this.#renewal?.catch(() => undefined)
    }
    if (!isLost(this.#abortReason)) await this.#settleHeld(result)
    this.#unlisten()
  }

  async #settleHeld(result: WorkerResult): Promise<void> {
    const endedAt = this.#now()
    const event = settle(result, factsOf(this.known(), endedAt))
    if (event === undefined) this.actor.send({ type: 'parked' })
    else await this.#offer(event, endedAt)
  }

  /** Writes the result, again and again while the storage is away. */
  async #offer(event: EndEvent, at: Instant): Promise<void> {
    const { problems, context } = this.#options
    for (let pause = settlePauseMin; ; pause = Math.min(pause * 2, settlePauseMax)) {
      try {
        const written = await this.#log.append(event, at)
        problems.worked()
        this.actor.send({ type: written.ok ? event.type : 'superseded' })
        return
      } catch (cause) {
        problems.failed(cause)
        if (!isPassing(cause) || this.#abortReason === 'released') break
      }
      await new Promise<void>((resolve) => context.scheduler.after(pause, resolve))
    }
    this.actor.send({ type: 'superseded' })
  }

  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
      const told = this.#toldMeanwhile
      this.#toldMeanwhile = undefined
      if (told !== undefined) this.notice(told)
    })
    return this.#renewal
  }

  async #renew(): Promise<void> {
    const now = this.#now()
    const { settings, lock } = this.#options
    const lockExpiresAt = Math.min(addDuration(now, settings.lockExpiry), this.deadline)
    if (lockExpiresAt <= this.known().lockExpiresAt) return
    const written = await this.#log.append({ ...lock.locked, lockExpiresAt }, now)
    if (!written.ok) {
      this.#supersede(reasonOf(written.error))
      return
    }
    this.#renewedAt = now
    this.actor.send({ type: 'extended' })
  }

  #supersede(reason: AbortReason): void {
    this.actor.send({ type: 'superseded' })
    this.abort(reason)
  }

  #requireLock(): void {
    if (isLost(this.#abortReason)) throw lockLost(this.executionId)
  }

  #renewalInterval(): Milliseconds {
    // Whole milliseconds, as every duration.
    return Math.ceil(this.#options.settings.lockExpiry / renewalsPerLock)
  }

  #now(): Instant {
    return this.#options.context.clock.now()
  }
}

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

/** What becomes of a run that goes on although it was told to end. */
function resultWithout(reason: AbortReason): WorkerResult {
  if (reason === 'timed_out') return { type: 'temporary_timeout' }
  return { type: isLost(reason) ? 'already_written' : 'executor_closing' }
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

function reasonFor(state: ExecutionState): AbortReason {
  const isCancelled =
    state.status === 'finished' ? state.failureKind === 'cancelled' : state.cancelling
  return isCancelled ? 'cancelled' : 'superseded'
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
