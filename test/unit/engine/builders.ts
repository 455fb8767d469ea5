/** Functions, workers, executors and watchers for tests, each with a complete default. */

import { expect } from 'vitest'
import type { EngineFunction } from '../../../src/engine/engine-function.ts'
import {
  createExecutor,
  type Executor,
  type ExecutorOptions,
} from '../../../src/engine/executor.ts'
import { createPermits } from '../../../src/engine/permits.ts'
import { createTimersWatcher, type TimersWatcher } from '../../../src/engine/timers-watcher.ts'
import type { AbortReason, Run, Worker, WorkerResult } from '../../../src/engine/worker.ts'
import type { EventType, LoggedEvent } from '../../../src/model/event.ts'
import { isHistoryEvent } from '../../../src/model/event.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { charge, checkout, retryForEver } from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'
import type { Surroundings } from './surroundings.ts'

/** Instants of a test: lock of 300, an attempt of 1,000, a poll each 100. */
export const lockExpiry = 300
export const timeout = 1000
export const tickSleep = 100

/** The activity `charge`: two retries, 50 apart. */
export function activityFunction(part: Partial<EngineFunction> = {}): EngineFunction {
  const retry = { maxRetries: 2, backoff: 50 }
  return { id: charge, retry, timeout, lockExpiry, strategy: 'by_name', ...part }
}

/** The workflow `checkout`. */
export function workflowFunction(part: Partial<EngineFunction> = {}): EngineFunction {
  return activityFunction({ id: checkout, retry: retryForEver, ...part })
}

/** The answer of a function that has nothing to say. */
export const okResult: WorkerResult = { type: 'run_finished', outcome: { type: 'ok' } }

/** A run that a test ends when it likes. */
export interface OpenRun {
  readonly run: Run
  readonly end: (result: WorkerResult) => void
  readonly fail: (error: unknown) => void
  /** What the run was told, in order. */
  readonly told: readonly AbortReason[]
}

/** A worker whose runs stay open until the test ends them. */
export interface OpenWorker extends Worker {
  readonly runs: readonly OpenRun[]
  /** The open run of this execution, which must have begun. */
  readonly of: (id: string) => OpenRun
}

/** What a worker does about a reason to end. */
export type Obedience = (reason: AbortReason) => WorkerResult | undefined

/** As the worker of activities does it: everything ends, but `stopping` leaves a moment. */
export const obedient: Obedience = (reason) => {
  if (reason === 'timed_out') return { type: 'temporary_timeout' }
  if (reason === 'released') return { type: 'executor_closing' }
  return reason === 'stopping' ? undefined : { type: 'already_written' }
}

/** Takes no notice. */
export const deafWorker: Obedience = () => undefined

/** A worker of open runs. */
export function createOpenWorker(obey: Obedience = obedient): OpenWorker {
  const runs: OpenRun[] = []
  return {
    runs,
    of: (id) =>
      runs.findLast(({ run }) => run.executionId === id) ?? expect.unreachable(`${id} runs not`),
    run: (run) =>
      new Promise((resolve, reject) => {
        const told: AbortReason[] = []
        runs.push({ run, told, end: resolve, fail: reject })
        run.onAbort((reason) => {
          told.push(reason)
          const result = obey(reason)
          if (result !== undefined) resolve(result)
        })
      }),
  }
}

/** A worker that always gives this result, at once. */
export function createConstantWorker(result: WorkerResult): Worker {
  return { run: () => Promise.resolve(result) }
}

/** What a scripted worker expects at a version, and what it answers. */
export interface ScriptLine {
  readonly history: readonly EventType[]
  readonly result: WorkerResult
}

/**
 * A worker that is told by the version after its lock what history it must find and what to
 * answer. Any other version or history fails the run with a message that no test expects.
 */
export function createScriptedWorker(
  store: Storage,
  script: Readonly<Record<number, ScriptLine>>,
): Worker {
  return {
    run: async ({ executionId: id, state }) => {
      const line = script[state.version + 1]
      const events = await store.listEvents({ executionId: id, from: 0, limit: 1000 })
      const history = events.filter(({ event }) => isHistoryEvent(event))
      const types = history.map(({ event }) => event.type)
      if (line === undefined) throw new Error(`unexpected version ${state.version + 1}`)
      expect(types).toEqual(line.history)
      return line.result
    },
  }
}

/** What a test may say of an executor. */
export type ExecutorPart = Partial<Omit<ExecutorOptions, 'context' | 'settings'>> & {
  readonly settings?: Partial<ExecutorOptions['settings']>
}

/** An executor of `charge` that polls each 100, with 100 permits. */
export function executorIn(surroundings: Surroundings, part: ExecutorPart = {}): Executor {
  const { settings, ...rest } = part
  const functions = part.functions ?? [activityFunction()]
  const limits = functions.flatMap(({ id, concurrency }) =>
    concurrency === undefined ? [] : [[id.name, concurrency] as const],
  )
  return createExecutor({
    context: surroundings.context,
    settings: { batchSize: 100, tickSleep, stragglersMax: 10, logLinesMax: 100, ...settings },
    kind: 'activities',
    functions,
    worker: createConstantWorker(okResult),
    permits: createPermits({ total: 100, perFunction: new Map(limits) }),
    host: { hostname: 'host', pid: 1 },
    ...rest,
  })
}

/** A watcher that looks each 100 and frees locks at their expiry. */
export function watcherIn(
  { context }: Surroundings,
  settings: { readonly tickSleep?: number; readonly leeway?: number } = {},
): TimersWatcher {
  return createTimersWatcher({ context, settings: { tickSleep, leeway: 0, ...settings } })
}

/** The log of an execution. */
export function eventsOf(store: Storage, id: string): Promise<readonly LoggedEvent[]> {
  return store.listEvents({ executionId: executionId(id), from: 0, limit: 1000 })
}
