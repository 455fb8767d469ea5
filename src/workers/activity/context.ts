/**
 * What a handler is given beside its input. Every member is made when it is first read: a handler
 * that reads only its input pays for nothing else.
 */

import type { Codec } from '../../base/codec.ts'
import { SteleError } from '../../base/error.ts'
import type { Logger } from '../../base/logger.ts'
import type { Clock } from '../../base/time.ts'
import type { AbortReason, Run } from '../../engine/worker.ts'
import type { HttpTrace } from '../../model/event.ts'
import { createRunLog, type RunLog, writeLine } from '../run-log.ts'
import { createTracedFetch, type TracedFetch } from './fetch.ts'

/** What an activity's handler is given. Destructure it; no member needs `this`. */
export interface ActivityContext {
  /** Aborted when time is up, on cancellation, when the lock is lost, and when the engine stops. */
  readonly signal: AbortSignal
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** The id of the execution, the same in every attempt. */
  readonly executionId: string
  /** The same in every attempt of this execution, and in no other: pass it to what you call. */
  readonly idempotencyKey: string
  /** The texts given at `submit`. */
  readonly metadata: Readonly<Record<string, string>>
  /** Kept with the run, late lines too; never waits, never throws. */
  readonly log: RunLog
  /** Extends the lock if that is due; rejects with `lock_lost` once it is lost. */
  readonly heartbeat: () => Promise<void>
  /** The platform's `fetch`, tied to `signal`; its requests are recorded with the attempt. */
  readonly fetch: typeof fetch
}

/** What contexts stand on. */
export interface ContextEnvironment {
  readonly clock: Clock
  readonly logger: Logger
  readonly codec: Codec
  readonly fetch: typeof fetch
  readonly httpTracesMax: number
}

/** The context of one run, and the worker's side of it. */
export class LazyContext implements ActivityContext {
  readonly #run: Run
  readonly #environment: ContextEnvironment
  #controller: AbortController | undefined
  #http: TracedFetch | undefined
  #ended = false

  constructor(run: Run, environment: ContextEnvironment) {
    this.#run = run
    this.#environment = environment
  }

  get attempt(): number {
    return this.#run.attempt
  }

  get executionId(): string {
    return this.#run.executionId
  }

  get idempotencyKey(): string {
    return this.#run.executionId
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#run.created.metadata ?? {}
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      const reason = this.#run.abortReason()
      if (reason !== undefined) this.#controller.abort(abortError(this.#run, reason))
    }
    return this.#controller.signal
  }

  get heartbeat(): () => Promise<void> {
    return async () => {
      this.#requireRunning()
      await this.#run.heartbeat()
    }
  }

  get log(): RunLog {
    // Late lines are kept too: a handler that cleans up must not fall over its own log.
    return createRunLog((line) => {
      writeLine(this.#run, this.#environment, line)
    })
  }

  get fetch(): ActivityContext['fetch'] {
    const { clock, fetch, httpTracesMax: tracesMax } = this.#environment
    this.#http ??= createTracedFetch({ clock, fetch, tracesMax, signal: () => this.signal })
    const traced = this.#http
    return async (resource, init) => {
      this.#requireRunning()
      return traced.fetch(resource, init)
    }
  }

  /** Requests recorded so far. */
  traces(): readonly HttpTrace[] {
    return this.#http?.traces() ?? []
  }

  /** Aborts the signal, if anybody holds it. */
  abort(reason: AbortReason): void {
    this.#controller?.abort(abortError(this.#run, reason))
  }

  /** From here on `heartbeat` and `fetch` refuse: the attempt is settled. */
  end(): void {
    this.#ended = true
  }

  #requireRunning(): void {
    if (this.#ended) throw abortError(this.#run, this.#run.abortReason() ?? 'superseded')
  }
}

const abortMessages: Readonly<Record<AbortReason, string>> = {
  timed_out: 'the attempt took longer than its timeout',
  cancelled: 'the execution was cancelled',
  superseded: 'the lock is lost, or the attempt is over',
  stopping: 'the engine stops',
  released: 'the engine stops',
}

function abortError(run: Run, reason: AbortReason): SteleError {
  const { executionId } = run
  const isStop = reason === 'stopping' || reason === 'released'
  return new SteleError(
    isStop ? 'engine_stopped' : 'lock_lost',
    `Attempt ${run.attempt} of ${executionId} should end: ${abortMessages[reason]}. ` +
      'Stop here; what it returns from now on may not be recorded.',
    { fields: { executionId, attempt: run.attempt, reason } },
  )
}
