/**
 * Runs activities: decodes the input, calls the handler, and turns whatever it does into exactly
 * one result. Nothing that a handler throws or returns gets past this file.
 */

import { unreachable } from '../../base/assert.ts'
import { type Codec, encodeValue } from '../../base/codec.ts'
import { isSteleError } from '../../base/error.ts'
import { copyJson, type Json } from '../../base/json.ts'
import type { AbortReason, Run, Worker, WorkerResult } from '../../engine/worker.ts'
import type { ActivityDefinition, FunctionDefinition } from '../definition.ts'
import { isActivityError, isErr, isPermanent, isPermanentError } from '../err.ts'
import { parseWith, type Schema } from '../schema.ts'
import { describeThrown } from '../stored-error.ts'
import { type ContextEnvironment, LazyContext } from './context.ts'

/** Limits of what an activity may return. */
export interface ActivityLimits {
  readonly valueBytes: number
  readonly errorDetailBytes: number
}

/** What the worker stands on. */
export interface ActivityWorkerOptions {
  readonly definitions: ReadonlyMap<string, FunctionDefinition>
  readonly environment: ContextEnvironment
  readonly limits: ActivityLimits
}

/** The worker for these activities. */
export function createActivityWorker(options: ActivityWorkerOptions): Worker {
  return {
    run: (run) => new Promise((resolve) => new Attempt(run, options, resolve).start()),
  }
}

/** One attempt: a race between the handler and the reasons to end it. */
class Attempt {
  readonly #run: Run
  readonly #options: ActivityWorkerOptions
  readonly #resolve: (result: WorkerResult) => void
  readonly #context: LazyContext
  #ended = false
  #handler: Promise<unknown> | undefined

  constructor(run: Run, options: ActivityWorkerOptions, resolve: (result: WorkerResult) => void) {
    this.#run = run
    this.#options = options
    this.#resolve = resolve
    this.#context = new LazyContext(run, options.environment)
  }

  start(): void {
    const { definitions, environment } = this.#options
    const definition = definitions.get(this.#run.created.function.name)
    const handler = definition?.kind === 'activity' ? definition.handler : undefined
    if (definition?.kind !== 'activity' || handler === undefined) {
      this.#end({ type: 'limit_reached', reason: 'the function has no implementation here' })
      return
    }
    this.#run.onAbort((reason) => {
      this.#abort(reason)
    })
    if (this.#ended) return
    let input: unknown
    try {
      input = environment.codec.decode(this.#run.created.input)
    } catch (cause) {
      this.#end(fatal('input_unreadable', 'the stored input cannot be read', this.#thrown(cause)))
      return
    }
    try {
      const returned = handler(input, this.#context)
      if (!isThenable(returned)) {
        this.#return(definition, returned)
        return
      }
      this.#handler = Promise.resolve(returned)
    } catch (thrown) {
      this.#throw(definition, thrown)
      return
    }
    this.#handler.then(
      (value) => {
        this.#return(definition, value)
      },
      (thrown: unknown) => {
        this.#throw(definition, thrown)
      },
    )
  }

  #abort(reason: AbortReason): void {
    this.#context.abort(reason)
    switch (reason) {
      case 'timed_out':
        this.#leave({ type: 'temporary_timeout', httpTraces: this.#context.traces() })
        return
      case 'cancelled':
      case 'superseded':
        this.#leave({ type: 'already_written' })
        return
      case 'released':
        this.#leave({ type: 'executor_closing' })
        return
      case 'stopping':
        // The handler still has a moment to finish.
        return
      default:
        unreachable(reason)
    }
  }

  /** Ends the attempt although the handler has not; it may go on for as long as it likes. */
  #leave(result: WorkerResult): void {
    if (this.#ended) return
    const straggler = this.#handler
    this.#end(result)
    if (straggler !== undefined) this.#run.onStraggler(straggler)
  }

  #return(definition: ActivityDefinition, value: unknown): void {
    if (this.#ended) return
    if (isErr(value)) {
      this.#fail(definition, value)
      return
    }
    const { output } = definition.settings
    const stored = this.#store({ schema: output, root: 'result', read: () => value })
    if (!stored.ok) this.#end({ ...stored.result, ...this.#traces() })
    else
      this.#end({ type: 'run_finished', outcome: outcomeOf('ok', stored.json), ...this.#traces() })
  }

  #throw(definition: ActivityDefinition, thrown: unknown): void {
    if (this.#ended) return
    if (this.#run.abortReason() === 'stopping') {
      // It was told to stop, and did: not a failure of the attempt.
      this.#end({ type: 'executor_closing' })
      return
    }
    if (isActivityError(thrown)) {
      this.#fail(definition, thrown)
      return
    }
    const permanent = isPermanentError(thrown)
    this.#end({ type: 'activity_trap', ...this.#thrown(thrown), permanent, ...this.#traces() })
  }

  /** The handler said no. */
  #fail(definition: ActivityDefinition, failure: { readonly value: unknown }): void {
    const { failure: schema } = definition.settings
    const stored = this.#store({ schema, root: 'error', read: () => failure.value })
    if (!stored.ok) {
      this.#end({ ...stored.result, ...this.#traces() })
      return
    }
    const outcome = outcomeOf('err', stored.json)
    const permanent = isPermanent(failure)
    this.#end({ type: 'run_finished', outcome, permanent, ...this.#traces() })
  }

  /** The stored form of a result; what cannot be stored is final: the effects have happened. */
  #store(what: {
    readonly schema: Schema | undefined
    readonly root: string
    readonly read: () => unknown
  }): { ok: true; json: Json | undefined } | { ok: false; result: FatalResult } {
    const { limits, environment } = this.#options
    const { schema, root } = what
    try {
      const { codec }: { codec: Codec } = environment
      const value = parseWith({
        schema,
        value: what.read(),
        root,
        code: 'invalid_input',
        consequence: 'The effects of the attempt have happened, so it is final.',
      })
      const json = encodeValue(codec, { value, root, valueBytes: limits.valueBytes })
      // It is written some turns later; until then the handler's object may change, or refuse.
      return { ok: true, json: json === undefined ? undefined : copyJson(json) }
    } catch (cause) {
      const { reason: said, detail } = this.#thrown(cause)
      const reason = isSteleError(cause) ? said : `the ${root} cannot be stored: ${said}`
      return { ok: false, result: fatal('result_not_storable', reason, { detail }) }
    }
  }

  #thrown(thrown: unknown): ReturnType<typeof describeThrown> {
    return describeThrown(thrown, this.#options.limits.errorDetailBytes)
  }

  #traces(): { readonly httpTraces?: ReturnType<LazyContext['traces']> } {
    const httpTraces = this.#context.traces()
    return httpTraces.length === 0 ? {} : { httpTraces }
  }

  #end(result: WorkerResult): void {
    if (this.#ended) return
    this.#ended = true
    this.#context.end()
    this.#resolve(result)
  }
}

function outcomeOf(
  type: 'ok' | 'err',
  json: Json | undefined,
): { readonly type: 'ok' | 'err'; readonly value?: Json } {
  return json === undefined ? { type } : { type, value: json }
}

type FatalResult = Extract<WorkerResult, { readonly type: 'fatal_error' }>

function fatal(
  type: 'input_unreadable' | 'result_not_storable',
  reason: string,
  { detail }: { readonly detail?: string | undefined },
): FatalResult {
  const what = detail === undefined ? { type, reason } : { type, reason, detail }
  return { type: 'fatal_error', fatal: what }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return (
      typeof value === 'object' &&
      value !== null &&
      typeof Reflect.get(value, 'then') === 'function'
    )
  } catch {
    return false
  }
}
