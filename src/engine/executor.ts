/**
 * An executor: an XState actor that polls for due executions of its functions, locks as many as
 * there are permits, and runs each through a worker. Waits by notice, due time and a slow poll.
 */

import { type AnyActorRef, createActor } from 'xstate'
import { type ExecutorEvent, executorMachine } from '../../machines/executor.ts'
import {
  type LockedExecutionEvent,
  lockedExecutionMachine,
} from '../../machines/locked-execution.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import { type ExecutorId, newExecutorId, newRunId } from '../model/ids.ts'
import type { LockBatch, LockTarget } from '../storage/lock.ts'
import { createBeat, type Host } from './beat.ts'
import { type CompiledMachine, compile } from './compile.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import { firstLockLength, holdExecution } from './held-execution.ts'
import { createHeldSet } from './held-set.ts'
import type { Permits } from './permits.ts'
import { createProblemLog, type ProblemLog } from './problem-log.ts'
import { createRunLogBuffer } from './run-log-buffer.ts'
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
/** Longest pause between polls of a storage that fails. */
const failurePauseMax: Milliseconds = 5_000

const compiledExecutor: CompiledMachine<ExecutorEvent> = compile(executorMachine)
const compiledHeld: CompiledMachine<LockedExecutionEvent> = compile(lockedExecutionMachine)
const heldLogic = compiledHeld.logic()

/** An executor that does nothing until it is started, or polled by hand. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { context, settings, permits } = options
  const { clock, scheduler, logger } = context
  const executorId = newExecutorId(context.mintUlid())
  const polling = createProblemLog(logger, `Polling for ${options.kind}`)
  let stragglers = 0
  let inFlight = 0
  let closing: Promise<void> | undefined
  let onClosed: () => void = () => undefined

  const send = (type: ExecutorEvent['type']): void => {
    actor.send({ type })
  }
  const held = createHeldSet({ context, onEmpty: () => drainIfIdle() })
  const isSaturated = (): boolean => stragglers >= settings.stragglersMax
  const drainIfIdle = (): void => {
    if (held.size() === 0 && inFlight === 0) send('drained')
  }

  const wakeUp: WakeUp = createWakeUp({
    context,
    tickSleep: settings.tickSleep,
    targets: () => targetsOf(options, settings.batchSize),
    onWake: () => {
      send('work_due')
    },
  })

  const actor = createActor(
    compiledExecutor.logic({
      poll: () => {
        // At the end of this turn all permits that are being freed now are there.
        scheduler.soon(() => void pollAndReport())
      },
      wait: () => {
        wakeUp.wait(failurePause(polling, settings.tickSleep))
      },
      saturate: () => {
        if (isSaturated()) logger.warn({ executorId, stragglers }, stragglerAdvice)
      },
      drain: drainIfIdle,
      release: () => {
        wakeUp.close()
        onClosed()
      },
    }),
    { id: executorId, ...(context.inspect === undefined ? {} : { inspect: context.inspect }) },
  )

  const unlistenPermits = permits.onFreed((wasExhausted) => {
    send('permit_freed')
    // A function at its own limit was left out of the poll; the executor may be waiting.
    if (wasExhausted) send('work_due')
  })

  const pollAndReport = async (): Promise<void> => {
    if (closing !== undefined) return
    wakeUp.beginPoll()
    try {
      const { locked, granted } = await poll(clock.now())
      polling.worked()
      if (granted === 0) send('permits_exhausted')
      else send(locked === granted ? 'batch_locked' : 'nothing_due')
    } catch (cause) {
      polling.failed(cause)
      send('poll_failed')
    }
  }

  const poll = async (lockedAt: Instant): Promise<PollResult> => {
    const granted = isSaturated() ? 0 : permits.reserve(settings.batchSize)
    const targets = granted === 0 ? [] : targetsOf(options, granted)
    if (targets.length === 0) {
      permits.giveBack(granted)
      return { locked: 0, granted: 0, ended: Promise.resolve() }
    }
    inFlight += 1
    try {
      const batch = await lock({ targets, granted, lockedAt })
      return { locked: batch.locked.length, granted, ended: startAll(batch, granted) }
    } catch (cause) {
      permits.giveBack(granted)
      throw cause
    } finally {
      inFlight -= 1
      if (closing !== undefined) drainIfIdle()
    }
  }

  const lock = ({ targets, granted, lockedAt }: LockAsk): Promise<LockBatch> =>
    context.storage.lockDue({
      targets,
      executorId,
      runId: newRunId(context.mintUlid()),
      deploymentId: context.deploymentId,
      lockedAt,
      limit: granted,
    })

  const startAll = (batch: LockBatch, granted: number): Promise<void> => {
    permits.giveBack(granted - batch.locked.length)
    for (const row of batch.setAside) logger.error({ ...row }, setAsideAdvice)
    const ends = batch.locked.map((locked) => {
      const one = hold(locked)
      permits.use(one.functionName)
      const end = closing === undefined ? one.run() : one.release()
      return held.add(one, end).finally(() => {
        permits.release(one.functionName)
      })
    })
    return Promise.all(ends).then(() => undefined)
  }

  const functionsByName = new Map(options.functions.map((entry) => [entry.id.name, entry]))
  const problems = createProblemLog(logger, 'Writing results')
  const logs = createRunLogBuffer({
    storage: context.storage,
    scheduler,
    problems: createProblemLog(logger, 'Writing what functions log'),
  })
  const hold: (lock: LockBatch['locked'][number]) => ReturnType<typeof holdExecution> = (locked) =>
    holdExecution({
      context,
      lock: locked,
      settings: settingsOf(functionsByName, locked.created.function.name),
      worker: options.worker,
      parent: actor,
      logic: heldLogic,
      logs,
      logLinesMax: settings.logLinesMax,
      problems,
      onStraggler: watchStraggler,
    })

  const watchStraggler = (end: Promise<unknown>): void => {
    stragglers += 1
    const gone = (): void => {
      const wasSaturated = isSaturated()
      stragglers -= 1
      if (wasSaturated) send('permit_freed')
    }
    end.then(gone, gone)
  }

  const beat = createBeat({ ...options, executorId })

  return {
    executorId,
    actor,
    poll,
    held: held.size,
    start: () => {
      wakeUp.listen(options.functions)
      beat.start()
      actor.start()
    },
    close: (timeout) => {
      closing ??= close(timeout)
      return closing
    },
  }

  async function close(timeout: Milliseconds): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve
    })
    actor.start()
    send('close')
    const timers = [
      scheduler.after(timeout, () => {
        held.abortAll('stopping')
      }),
      scheduler.after(timeout + stopGrace, () => {
        held.abortAll('released')
      }),
    ]
    await closed
    for (const cancel of timers) cancel()
    unlistenPermits()
    await logs.flush()
    await beat.stop()
  }
}

interface LockAsk {
  readonly targets: readonly LockTarget[]
  readonly granted: number
  readonly lockedAt: Instant
}

const stragglerAdvice =
  'Too many handlers go on after their signal was aborted; no new work is taken until some end. ' +
  'Make handlers obey `signal`.'

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

function settingsOf(functions: ReadonlyMap<string, EngineFunction>, name: string): EngineFunction {
  const settings = functions.get(name)
  if (settings === undefined) throw new TypeError(`no function ${name}`)
  return settings
}

/** While the storage fails, polls become rarer; otherwise the usual wait. */
function failurePause(problems: ProblemLog, tickSleep: Milliseconds): Milliseconds {
  const streak = problems.streak()
  if (streak === 0) return tickSleep
  return Math.min(tickSleep * 2 ** Math.min(streak, 10), failurePauseMax)
}
