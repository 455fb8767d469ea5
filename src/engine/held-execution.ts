/**
 * One lock held by this process, from the commit of `locked` to the commit of what became of the
 * run. Owns the version: heartbeats, history and the result go through it, in order.
 */

import { type ActorLogic, type AnyActorRef, type AnyMachineSnapshot, createActor } from 'xstate'
import type { LockedExecutionEvent } from '../../machines/locked-execution.ts'
import type { JsonObject } from '../base/json.ts'
import { guard } from '../base/logger.ts'
import { addDuration, type Cancel, type Instant, type Milliseconds } from '../base/time.ts'
import { blockingOf, type CreatedEvent, type ExecutionEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import { decideRetry } from '../model/retry.ts'
import { attemptOf, type ExecutionState, type LockedState } from '../model/state.ts'
import type { LockedExecution } from '../storage/lock.ts'
import type { LogLevel } from '../storage/run-log.ts'
import { isFinal, isLost, lockLost, reasonFor, reasonOf, resultWithout } from './abort.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import { renewalIntervalOf, timesOf } from './lock-times.ts'
import { createLogWriter, type LogBatch, type LogWriter } from './log-writer.ts'
import { offer } from './offer.ts'
import type { ProblemLog } from './problem-log.ts'
import { createResponseNews, type ResponseNews } from './response-news.ts'
import { createRunHistory } from './run-history.ts'
import type { RunLogBuffer } from './run-log-buffer.ts'
import { runWorker } from './run-worker.ts'
import { factsOf, settle } from './settle.ts'
import type { AbortReason, Run, RunHistory, Worker, WorkerResult } from './worker.ts'

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
  /** Whether the executor takes no new work. */
  readonly isClosing: () => boolean
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
  readonly actor: AnyActorRef
  readonly #options: HeldOptions
  #deadline: Instant
  readonly #renewalInterval: Milliseconds
  readonly #log: LogWriter
  readonly #news: ResponseNews
  readonly #unlisten: Cancel
  #renewedAt: Instant
  #renewal: Promise<void> | undefined
  #abortReason: AbortReason | undefined
  #logLines = 0
  #tellWorker: ((reason: AbortReason) => void) | undefined
  #answer: ((result: WorkerResult) => void) | undefined
  #toldMeanwhile: ExecutionState | undefined
  #history: RunHistory | undefined
  /** A blocking event is on its way, or written: the lock is given up, and not extended. */
  #isParking = false

  constructor(options: HeldOptions) {
    const { context, lock, settings, parent } = options
    const { lockedAt, deadline } = timesOf(lock.state.lockExpiresAt, settings)
    this.#options = options
    this.executionId = lock.state.executionId
    this.functionName = settings.id.name
    this.created = lock.created
    this.state = lock.state
    this.#deadline = deadline
    this.#renewalInterval = renewalIntervalOf(settings)
    this.#log = createLogWriter(context.storage, lock.state)
    this.#renewedAt = lockedAt
    this.#news = createResponseNews(lock.state.version)
    this.actor = createActor(options.logic, { id: this.executionId, parent }).start()
    const { notifications } = context.storage
    this.#unlisten = notifications.onExecution(this.executionId, (state) => {
      if (state !== undefined) this.notice(state)
      this.#news.hear(state)
    })
  }

  // ── for the executor ──────────────────────────────────────────────────────────────────────────

  async run(): Promise<void> {
    this.actor.send({ type: 'run' })
    const isLate = this.#now() >= this.#deadline
    const result = isLate ? ({ type: 'temporary_timeout' } as const) : await this.#callWorker()
    await this.#settle(result)
  }

  async release(): Promise<void> {
    this.actor.send({ type: 'run' })
    await this.#settle({ type: 'executor_closing' })
  }

  attend(now: Instant): Instant {
    const deadline = this.#deadline
    if (this.#isParking) return Number.POSITIVE_INFINITY
    if (now >= deadline) {
      this.abort('timed_out')
      return Number.POSITIVE_INFINITY
    }
    if (this.#hasFixedDeadline() && this.known().lockExpiresAt >= deadline) return deadline
    const renewAt = this.#renewedAt + this.#renewalInterval
    if (now < renewAt) return Math.min(renewAt, deadline)
    this.#renewInBackground()
    return Math.min(now + this.#renewalInterval, deadline)
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
    else if (state.version > this.#log.version()) this.#supersede(reasonFor(state))
  }

  known(): LockedState {
    return this.#log.known()
  }

  // ── for the worker ────────────────────────────────────────────────────────────────────────────

  get deadline(): Instant {
    return this.#deadline
  }

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
    if (this.#now() - this.#renewedAt < this.#renewalInterval) return
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

  isClosing(): boolean {
    return this.#options.isClosing()
  }

  get history(): RunHistory {
    const { context } = this.#options
    this.#history ??= createRunHistory({
      storage: context.storage,
      executionId: this.executionId,
      append: (batch) => this.#appendHistory(batch),
      expectSilence: (duration) => {
        this.#moveDeadline(addDuration(this.#now(), duration))
      },
      onResponse: this.#news.listen,
    })
    return this.#history
  }

  async #appendHistory(batch: LogBatch): Promise<ExecutionState | undefined> {
    if (isLost(this.#abortReason)) return undefined
    const isBlocking = batch.events.some((event) => blockingOf(event) !== undefined)
    this.#isParking = isBlocking
    const written = await this.#offer(batch)
    if (written === undefined) return undefined
    this.actor.send({ type: 'appended' })
    this.#moveDeadline(addDuration(batch.createdAt, this.#options.settings.timeout))
    if (!isBlocking) this.#hearMeanwhile()
    return written
  }

  /** A lock that was to end with the attempt's time has to go on with it. */
  #moveDeadline(deadline: Instant): void {
    const endsWithIt = this.known().lockExpiresAt >= this.#deadline
    this.#deadline = Math.max(this.#deadline, deadline)
    const isDue = this.#now() >= this.#renewedAt + this.#renewalInterval
    if (endsWithIt && isDue) this.#renewInBackground()
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
    const createdAt = this.#now()
    const events = settle(result, factsOf(this.known(), createdAt))
    const last = events.at(-1)
    if (last === undefined) {
      this.actor.send({ type: 'parked' })
      return
    }
    const written = await this.#offer({ events, createdAt })
    if (written !== undefined && last.type !== 'upgrade_finished') {
      this.actor.send({ type: last.type })
    }
  }

  /** Writes, again and again while the storage is away; `undefined` when the lock is lost. */
  async #offer(batch: LogBatch): Promise<ExecutionState | undefined> {
    const { problems, context } = this.#options
    const isGivenUp = (): boolean => this.#abortReason === 'released'
    const options = { problems, scheduler: context.scheduler, isGivenUp }
    const written = await offer(options, () => this.#log.append(batch))
    if (written?.ok === true) return written.value
    this.#supersede(written === undefined ? 'superseded' : this.#lostBy(written.error))
    return undefined
  }

  #renewInBackground(): void {
    this.#renewOnce().catch((cause: unknown) => {
      this.#options.problems.failed(cause)
    })
  }

  #renewOnce(): Promise<void> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
      this.#hearMeanwhile()
    })
    return this.#renewal
  }

  /** What was told while something was being written may have been that very thing. */
  #hearMeanwhile(): void {
    const told = this.#toldMeanwhile
    this.#toldMeanwhile = undefined
    if (told !== undefined) this.notice(told)
  }

  async #renew(): Promise<void> {
    const now = this.#now()
    const { settings, lock } = this.#options
    const lockExpiresAt = Math.min(addDuration(now, settings.lockExpiry), this.#deadline)
    const { lockExpiresAt: present, function: fn, deploymentId } = this.known()
    if (this.#isParking || lockExpiresAt <= present) return
    // The run may have brought the execution to another version since it was locked.
    const known = { functionVersion: fn.version, deploymentId }
    const events: readonly ExecutionEvent[] = [{ ...lock.locked, ...known, lockExpiresAt }]
    const written = await this.#log.append({ events, createdAt: now })
    if (!written.ok) {
      if (!this.#isParking) this.#supersede(this.#lostBy(written.error))
      return
    }
    this.#renewedAt = now
    this.actor.send({ type: 'extended' })
  }

  #supersede(reason: AbortReason): void {
    this.actor.send({ type: 'superseded' })
    this.abort(reason)
  }

  /** What was told while it was being written says more than the refusal. */
  #lostBy(refusal: Refusal): AbortReason {
    const told = this.#toldMeanwhile
    const isNews = told !== undefined && told.version > this.#log.version()
    return isNews ? reasonFor(told) : reasonOf(refusal)
  }

  #requireLock(): void {
    if (isLost(this.#abortReason)) throw lockLost(this.executionId)
  }

  /** The time of an activity's attempt never moves; that of others does with their progress. */
  #hasFixedDeadline(): boolean {
    return this.state.function.kind === 'activity'
  }

  #now(): Instant {
    return this.#options.context.clock.now()
  }
}
