/**
 * What a handler is given beside its input. Every member is made when it is first read: a handler
 * that reads only its input pays for nothing else.
 */

import { type Codec, encodeValue } from '../../base/codec.ts'
import { isSteleError, SteleError } from '../../base/error.ts'
import { copyJson, isJsonObject, type JsonObject } from '../../base/json.ts'
import { guard, type Logger } from '../../base/logger.ts'
import type { Clock } from '../../base/time.ts'
import type { AbortReason, Run } from '../../engine/worker.ts'
import type { HttpTrace } from '../../model/event.ts'
import type { LogLevel } from '../../storage/run-log.ts'
import { createTracedFetch, type TracedFetch } from './fetch.ts'

/** Logs a line, kept with the run and shown by the engine's logger. */
export type LogFunction = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/** The log of a run. */
export interface RunLog {
  /** What helps whoever looks for a fault. */
  readonly debug: LogFunction
  /** What is worth knowing. */
  readonly info: LogFunction
  /** What will go on, but should not have happened. */
  readonly warn: LogFunction
  /** What somebody has to look at. */
  readonly error: LogFunction
}

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

/** Characters of a logged message that are kept. */
export const logMessageMax = 10_000
/** Bytes of the fields of a logged line that are kept; larger ones are replaced by a note. */
export const logFieldsBytesMax = 64 * 1024

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
    const line =
      (level: LogLevel): LogFunction =>
      (message, fields) => {
        // Late lines are kept too: a handler that cleans up must not fall over its own log.
        this.#write(level, message, fields)
      }
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
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

  #write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { executionId, attempt } = this.#run
    guard(() => {
      this.#environment.logger[level]({ executionId, attempt, ...fields }, message)
    })
    guard(() => {
      // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- may be anything
      this.#run.log(level, cut(String(message)), toStored(this.#environment.codec, fields))
    })
  }
}

/** What cannot be stored costs a line its fields, and never the line. */
function toStored(codec: Codec, fields: Readonly<Record<string, unknown>>): JsonObject | undefined {
  try {
    if (Object.keys(fields).length === 0) return undefined
    const request = { value: fields, root: 'fields', valueBytes: logFieldsBytesMax }
    const stored = encodeValue(codec, request)
    // A copy: the line is written later.
    const copy = stored === undefined ? undefined : copyJson(stored)
    return isJsonObject(copy) ? copy : undefined
  } catch (cause) {
    return { notStored: isSteleError(cause) ? cause.message : 'the fields cannot be read' }
  }
}

function cut(message: string): string {
  return message.length > logMessageMax ? `${message.slice(0, logMessageMax)}…` : message
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
