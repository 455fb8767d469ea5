/**
 * An executor: an XState actor that polls for due executions of its functions, locks as many as
 * there are permits, and runs each through a worker. Waits by notice, due time and a slow poll.
 */

import {
  type ActorLogic,
  type ActorRefFrom,
  type AnyActorRef,
  type AnyMachineSnapshot,
  createActor,
} from 'xstate'
import { type ExecutorEvent, executorMachine } from '../../machines/executor.ts'
import {
  type LockedExecutionEvent,
  lockedExecutionMachine,
} from '../../machines/locked-execution.ts'
import { assert } from '../base/assert.ts'
import type { Cancel, Instant, Milliseconds } from '../base/time.ts'
import { type ExecutorId, newExecutorId, newRunId } from '../model/ids.ts'
import type { LockBatch, LockedExecution, LockTarget } from '../storage/lock.ts'
import { createActorClock } from './actor-clock.ts'
import { type Beat, createBeat, type Host } from './beat.ts'
import { type CompiledMachine, compile, type Effects } from './compile.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import { type HeldExecution, holdExecution } from './held-execution.ts'
import { createHeldSet, type HeldSet } from './held-set.ts'
import { firstLockLength } from './lock-times.ts'
import type { Permits } from './permits.ts'
import { createProblemLog, type ProblemLog, pauseAfter } from './problem-log.ts'
import { createRunLogBuffer, type RunLogBuffer } from './run-log-buffer.ts'
import { createStragglers, type Stragglers } from './stragglers.ts'
import { createWakeUp, type WakeUp } from './wake-up.ts'
import type { Worker } from './worker.ts'

/** How an executor behaves. */
export interface ExecutorSettings {
  /** Most executions in one poll. */
  readonly batchSize: number
  /** How long to wait for a notice before polling again. */
  readonly tickSleep: Milliseconds
  /** Handlers that ignore their signal, up to which new work is still taken. */
  readonly stragglersMax: number
  /** Log lines kept of one run. */
  readonly logLinesMax: number
}

/** What an executor stands on. */
export interface ExecutorOptions {
  readonly context: EngineContext
  readonly settings: ExecutorSettings
  /** What it executes, as a word for logs and viewers. */
  readonly kind: 'activities' | 'workflows'
  readonly functions: readonly EngineFunction[]
  readonly worker: Worker
  readonly permits: Permits
  readonly host: Host
}

/** What one poll came to. */
export interface PollResult {
  /** Executions that were locked; their runs have begun. */
  readonly locked: number
  /** How many permits there were. Zero: the storage was not asked. */
  readonly granted: number
  /** Resolves when all of them have ended and their results are written. */
  readonly ended: Promise<void>
}

/** A running executor. */
export interface Executor {
  readonly executorId: ExecutorId
  readonly actor: AnyActorRef
  /** Begins to poll. */
  readonly start: () => void
  /** One poll by hand, at an instant of the caller's. Rejects when the storage fails. */
  readonly poll: (lockedAt: Instant) => Promise<PollResult>
  /**
   * Takes no new locks; waits for runs up to `timeout`, then aborts them, and a second later gives
   * their locks back. Idempotent.
   */
  readonly close: (timeout: Milliseconds) => Promise<void>
  /** How many runs are held now. */
  readonly held: () => number
}

/** Between `signal` and the release of locks at a stop. */
export const stopGrace: Milliseconds = 1_000

const compiledExecutor: CompiledMachine<ExecutorEvent> = compile(executorMachine)
const compiledHeld: CompiledMachine<LockedExecutionEvent> = compile(lockedExecutionMachine)
const heldLogic = compiledHeld.logic()

/** An executor that does nothing until it is started, or polled by hand. */
export function createExecutor(options: ExecutorOptions): Executor {
  return new PollingExecutor(options)
}

class PollingExecutor implements Executor {
  readonly executorId: ExecutorId
  readonly actor: ActorRefFrom<ActorLogic<AnyMachineSnapshot, ExecutorEvent>>
  readonly #options: ExecutorOptions
  readonly #functionsByName: ReadonlyMap<string, EngineFunction>
  readonly #polling: ProblemLog
  readonly #writing: ProblemLog
  readonly #logs: RunLogBuffer
  readonly #held: HeldSet
  readonly #stragglers: Stragglers
  readonly #wakeUp: WakeUp
  readonly #beat: Beat
  readonly #unlistenPermits: Cancel
  #pollsInFlight = 0
  /** It has just been told of work, perhaps by a write that the poll can share a commit with. */
  #isWoken = false
  #isClosing = false
  #closed: Promise<void> | undefined
  #onClosed: () => void = () => undefined

  constructor(options: ExecutorOptions) {
    const { context, settings, kind, functions, permits } = options
    const { logger, storage, scheduler, inspect } = context
    this.#options = options
    this.executorId = newExecutorId(context.mintUlid())
    this.#functionsByName = new Map(functions.map((entry) => [entry.id.name, entry]))
    this.#polling = createProblemLog(context, `Polling for ${kind}`)
    this.#writing = createProblemLog(context, 'Writing results')
    const problems = createProblemLog(context, 'Writing what functions log')
    this.#logs = createRunLogBuffer({
      storage,
      scheduler,
      problems,
      onDropped: (dropped) => {
        logger.warn({ executorId: this.executorId, dropped }, droppedAdvice)
      },
    })
    this.#held = createHeldSet({ context, onEmpty: () => this.#drainIfIdle() })
    this.#stragglers = createStragglers({
      max: settings.stragglersMax,
      onRelief: () => {
        this.#send('permit_freed')
      },
    })
    this.#beat = createBeat({ ...options, executorId: this.executorId })
    this.#wakeUp = createWakeUp({
      context,
      tickSleep: settings.tickSleep,
      targets: () => targetsOf(options, settings.batchSize),
      onWake: () => {
        this.#isWoken = true
        this.#send('work_due')
        this.#isWoken = false
      },
    })
    this.actor = createActor(compiledExecutor.logic(this.#effects()), {
      id: this.executorId,
      clock: createActorClock(scheduler),
      ...(inspect === undefined ? {} : { inspect }),
    })
    this.#unlistenPermits = permits.onFreed((wasExhausted) => {
      this.#send('permit_freed')
      // A function at its own limit was left out of the last poll, and of one under way.
      if (wasExhausted) this.#wakeUp.notice()
    })
  }

  start(): void {
    this.#wakeUp.listen(this.#options.functions)
    this.#beat.start()
    this.actor.start()
  }

  held(): number {
    return this.#held.size()
  }

  close(timeout: Milliseconds): Promise<void> {
    this.#closed ??= this.#close(timeout)
    return this.#closed
  }

  poll(lockedAt: Instant): Promise<PollResult> {
    return this.#poll(() => lockedAt)
  }

  /** `begin` gives the instant of the poll, when it begins to look. */
  async #poll(begin: () => Instant): Promise<PollResult> {
    const { permits, settings } = this.#options
    const granted = this.#stragglers.areTooMany() ? 0 : permits.reserve(settings.batchSize)
    if (granted === 0 || targetsOf(this.#options, granted).length === 0) {
      permits.giveBack(granted)
      return { locked: 0, granted: 0, ended: Promise.resolve() }
    }
    this.#pollsInFlight += 1
    try {
      const batch = await this.#lock(granted, begin)
      return { locked: batch.locked.length, granted, ended: this.#startAll(batch, granted) }
    } catch (cause) {
      permits.giveBack(granted)
      throw cause
    } finally {
      this.#pollsInFlight -= 1
      this.#drainIfIdle()
    }
  }

  /** What the machine's actions do. */
  #effects(): Effects {
    const { scheduler, logger } = this.#options.context
    return {
      poll: () => {
        if (this.#isWoken) void this.#pollAndReport()
        // At the end of this turn all permits that are being freed now are there.
        else scheduler.soon(() => void this.#pollAndReport())
      },
      wait: () => {
        this.#wakeUp.wait(pauseAfter(this.#polling.streak(), this.#options.settings.tickSleep))
      },
      saturate: () => {
        const stragglers = this.#stragglers.count()
        const { executorId } = this
        if (this.#stragglers.areTooMany()) logger.warn({ executorId, stragglers }, stragglerAdvice)
        // A permit may have been freed between the poll and its report.
        else if (this.#hasPermit()) scheduler.soon(() => this.#send('permit_freed'))
      },
      drain: () => {
        this.#drainIfIdle()
      },
      release: () => {
        this.#wakeUp.close()
        this.#onClosed()
      },
    }
  }

  async #pollAndReport(): Promise<void> {
    if (this.#isClosing) return
    // Also when it fails before it can look, which is no reason to try again at once.
    this.#wakeUp.beginPoll()
    try {
      const { locked, granted } = await this.#poll(() => this.#beginPoll())
      // Without a permit nobody was asked.
      if (granted > 0) this.#polling.worked()
      if (granted === 0) this.#send('permits_exhausted')
      else this.#send(locked === granted ? 'batch_locked' : 'nothing_due')
    } catch (cause) {
      this.#polling.failed(cause)
      this.#send('poll_failed')
    }
  }

  /** What is told from here on is not answered by this poll. */
  #beginPoll(): Instant {
    this.#wakeUp.beginPoll()
    return this.#options.context.clock.now()
  }

  #lock(granted: number, begin: () => Instant): Promise<LockBatch> {
    const { storage, mintUlid, deploymentId } = this.#options.context
    const runId = newRunId(mintUlid())
    return storage.lockDue(() => ({
      lockedAt: begin(),
      // A function may have got a permit back since the poll was asked for.
      targets: targetsOf(this.#options, granted),
      executorId: this.executorId,
      runId,
      deploymentId,
      limit: granted,
    }))
  }

  #startAll(batch: LockBatch, granted: number): Promise<void> {
    const { permits, context } = this.#options
    permits.giveBack(granted - batch.locked.length)
    for (const row of batch.setAside) context.logger.error({ ...row }, setAsideAdvice)
    const ends = batch.locked.map((lock) => {
      const held = this.#hold(lock)
      const { functionName } = held
      permits.use(functionName)
      const end = this.#isClosing ? held.release() : held.run()
      return this.#held.add(held, end).finally(() => {
        permits.release(functionName)
      })
    })
    return Promise.all(ends).then(() => undefined)
  }

  #hold(lock: LockedExecution): HeldExecution {
    const { context, worker, settings } = this.#options
    const { name } = lock.created.function
    const known = this.#functionsByName.get(name)
    assert(known !== undefined, `only functions of this executor are locked, not ${name}`)
    return holdExecution({
      context,
      lock,
      settings: known,
      worker,
      parent: this.actor,
      logic: heldLogic,
      logs: this.#logs,
      logLinesMax: settings.logLinesMax,
      problems: this.#writing,
      onStraggler: this.#stragglers.watch,
      isClosing: () => this.#isClosing,
    })
  }

  async #close(timeout: Milliseconds): Promise<void> {
    this.#isClosing = true
    const { scheduler } = this.#options.context
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve
    })
    this.actor.start()
    this.#send('close')
    const timers = [
      scheduler.after(timeout, () => {
        this.#held.abortAll('stopping')
      }),
      scheduler.after(timeout + stopGrace, () => {
        this.#held.abortAll('released')
      }),
    ]
    await closed
    for (const cancel of timers) cancel()
    this.#unlistenPermits()
    await this.#logs.flush()
    await this.#beat.stop()
  }

  #hasPermit(): boolean {
    return this.#options.permits.free() > 0 && targetsOf(this.#options, 1).length > 0
  }

  #drainIfIdle(): void {
    const isIdle = this.#held.size() === 0 && this.#pollsInFlight === 0
    if (this.#isClosing && isIdle) this.#send('drained')
  }

  #send(type: ExecutorEvent['type']): void {
    this.actor.send({ type })
  }
}

const stragglerAdvice =
  'Too many handlers go on after their signal was aborted; no new work is taken until some end. ' +
  'Make handlers obey `signal`.'

const droppedAdvice =
  'Log lines of functions were dropped: they come faster than the storage takes them. Log less.'

const setAsideAdvice =
  'A row cannot be locked and was set aside; the others go on. `explain` of its id says why.'

/** Functions that still have permits, with what each may take. */
function targetsOf({ functions, permits }: ExecutorOptions, limit: number): readonly LockTarget[] {
  return functions.flatMap((entry) => {
    const free = Math.min(limit, permits.freeFor(entry.id.name))
    if (free <= 0) return []
    const { id, strategy, retry } = entry
    return [{ function: id, strategy, retry, limit: free, lockExpiry: firstLockLength(entry) }]
  })
}
