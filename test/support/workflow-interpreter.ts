/** Programs as workflows: what each part does with the context, and what it observes. */

import {
  ActivityError,
  type AnyFunction,
  defineActivity,
  defineWorkflow,
  err,
  type Implemented,
  isExecutionError,
  type JoinSet,
  PermanentError,
  unchecked,
  type WorkflowContext,
} from 'stele'
import { defaultCodec } from '../../src/base/codec.ts'
import { isSteleError } from '../../src/base/error.ts'
import type { Json } from '../../src/base/json.ts'
import type { Scheduler } from '../../src/base/time.ts'
import type { Program, SetStep, StepWork, Work } from './workflow-program.ts'

/** The channels of every program. */
interface Messages {
  readonly a: unknown
  readonly b: unknown
}

type Context = WorkflowContext<Messages>

/** What a program comes to. */
export interface Trace {
  readonly end: Json
  /** What was observed, in order. */
  readonly seen: readonly Json[]
}

/** Longer than any stable program takes. */
const muchLater = '1000 days'

/** The functions that programs are made of; the last one runs a program. */
export function programFunctions(
  scheduler: Scheduler,
): readonly [AnyFunction & Implemented, AnyFunction & Implemented, AnyFunction & Implemented] {
  const pause = (ms: number): Promise<void> =>
    ms === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          scheduler.after(ms, resolve)
        })
  const work = async ({ end, ms }: Work, attempt: number): Promise<unknown> => {
    await pause(ms)
    if (end === 'err') return err({ no: ms })
    if (end === 'throws' || (end === 'retried' && attempt < 3)) throw new TypeError(`no ${ms}`)
    if (end === 'permanent') throw new PermanentError('never')
    return { did: ms }
  }
  const activity = defineActivity(
    { name: 'work', retry: { maxRetries: 6, backoff: 30, maxBackoff: 60 }, timeout: '1 day' },
    (input: Work, { attempt }) => work(input, attempt),
  )
  const plain = defineActivity({ name: 'plain' }, () => 'plain')
  const functions: AnyFunction[] = [activity, plain]
  const program = defineWorkflow(
    { name: 'program', messages: { a: unchecked<unknown>(), b: unchecked<unknown>() } },
    async (input: Program, context): Promise<Trace> => {
      const run = new Interpreter(context, { pause, activity, plain, program: functions.at(-1) })
      return run.trace(input)
    },
  )
  functions.push(program)
  return [activity, plain, program]
}

/** What each kind of part does. */
type Doers = {
  readonly [Op in Program['op']]: (part: Program & { readonly op: Op }) => unknown
}
type SetDoers = {
  readonly [Op in SetStep['op']]: (step: SetStep & { readonly op: Op }) => unknown
}

interface Surroundings {
  readonly pause: (ms: number) => Promise<void>
  readonly activity: AnyFunction
  readonly plain: AnyFunction
  readonly program: AnyFunction | undefined
}

class Interpreter {
  readonly #context: Context
  readonly #with: Surroundings
  readonly #seen: Json[] = []
  #names = 0

  constructor(context: Context, surroundings: Surroundings) {
    this.#context = context
    this.#with = surroundings
  }

  async trace(program: Program): Promise<Trace> {
    let end: Json
    try {
      end = await this.#run(program)
    } catch (error) {
      end = describeError(error)
    }
    return { end, seen: [...this.#seen] }
  }

  /** Runs a part and notes what came of it. */
  async #run(program: Program): Promise<Json> {
    try {
      const value = describe(await this.#do(program))
      this.#seen.push([program.op, value])
      return value
    } catch (error) {
      this.#seen.push([program.op, describeError(error)])
      throw error
    }
  }

  #do(program: Program): unknown {
    const doers = { ...this.#combinators(), ...this.#waits(), ...this.#others() } satisfies Doers
    return (doers[program.op] as (part: Program) => unknown)(program)
  }

  #combinators() {
    const each = (parts: readonly Program[]) => parts.map((part) => this.#run(part))
    const { sleep } = this.#context
    return {
      sequence: ({ parts }) => this.#sequence(parts),
      all: ({ parts }) => Promise.all(each(parts)),
      race: ({ parts }) => Promise.race(each(parts)),
      any: ({ parts }) => Promise.any(each(parts)),
      allSettled: ({ parts }) => this.#allSettled(parts),
      retry: ({ times, body }) => this.#retry(times, body),
      limit: ({ body }) => Promise.race([this.#run(body), sleep(muchLater, { name: 'limit' })]),
      try: ({ body }) =>
        this.#run(body).catch((error: unknown) => ({ caught: describeError(error) })),
      unawaited: ({ body }) => {
        this.#run(body).catch(() => undefined)
      },
    } satisfies Partial<Doers>
  }

  #waits() {
    const { call, outcome, sleep, sleepUntil, now, messages } = this.#context
    const { activity } = this.#with
    return {
      sleep: ({ ms }) => sleep(ms),
      sleepUntil: ({ ms }) => sleepUntil(now() + ms),
      call: ({ work, delay }) => call(activity, work as never, { delay }),
      outcome: ({ work, delay }) => outcome(activity, work as never, { delay }),
      child: ({ body, asOutcome }) => this.#child(body, asOutcome),
      step: ({ work }) => this.#step(work),
      message: ({ channel, timeout }) =>
        timeout === undefined ? messages[channel].next() : messages[channel].next({ timeout }),
      set: (program) => this.#set(program),
    } satisfies Partial<Doers>
  }

  #others() {
    const { random, uuid, now, log, patched, schedule } = this.#context
    this.#names += 1
    const number = this.#names
    return {
      schedule: ({ ms }) => schedule(this.#with.plain, undefined as never, { in: ms }).id,
      random: () => random() + Math.random(),
      uuid: () => uuid(),
      now: () => now(),
      patched: () => patched(`p${number % 3}`),
      log: () => {
        log.info(`line ${number}`)
      },
      throw: () => {
        throw new RangeError('thrown')
      },
    } satisfies Partial<Doers>
  }

  async #sequence(parts: readonly Program[]): Promise<readonly Json[]> {
    const values: Json[] = []
    for (const part of parts) values.push(await this.#run(part))
    return values
  }

  async #allSettled(parts: readonly Program[]): Promise<unknown> {
    const ends = await Promise.allSettled(parts.map((part) => this.#run(part)))
    return ends.map((end) =>
      end.status === 'fulfilled' ? { value: end.value } : { reason: describeError(end.reason) },
    )
  }

  async #retry(times: number, body: Program): Promise<Json> {
    for (let left = times; ; left -= 1) {
      try {
        return await this.#run(body)
      } catch (error) {
        if (left <= 1) throw error
        await this.#context.sleep(left)
      }
    }
  }

  async #child(body: Program, asOutcome: boolean): Promise<unknown> {
    const { program } = this.#with
    if (program === undefined) return undefined
    const { call, outcome } = this.#context
    const input = body as never
    return asOutcome ? outcome(program, input) : call(program, input, { name: 'sub' })
  }

  #step({ end, value, ms, backoff }: StepWork): Promise<unknown> {
    const { pause } = this.#with
    const code = async ({ attempt }: { readonly attempt: number }): Promise<unknown> => {
      await pause(ms)
      if (end === 'err') throw new ActivityError({ no: value })
      if (end === 'throws' || (end === 'retried' && attempt < 3)) throw new TypeError('no')
      if (end === 'permanent') throw new PermanentError('never')
      return oddValue(value)
    }
    const retry = { maxRetries: 2, backoff }
    return this.#context.step(`step ${end}`, ms === 0 ? syncOf(code, value, end) : code, { retry })
  }

  async #set(program: Extract<Program, { readonly op: 'set' }>): Promise<Json> {
    this.#names += 1
    const name = this.#names % 2 === 0 ? undefined : `set_${this.#names}`
    const set = this.#context.joinSet(name, program.options) as unknown as JoinSet<AnyFunction>
    const seen: Json[] = []
    for (const [index, step] of program.steps.entries()) {
      const at = `${index}`
      try {
        const value = describe(await this.#setStep(set, step))
        this.#seen.push(['set', step.op, value])
        seen.push([at, step.op, value])
      } catch (error) {
        seen.push([at, step.op, describeError(error)])
      }
    }
    return seen
  }

  #setStep(set: JoinSet<AnyFunction>, step: SetStep): unknown {
    const { activity, program } = this.#with
    const doers = {
      submit: ({ work, delay }) => lastPart(set.submit(activity, work as never, { delay }).id),
      submitChild: ({ body }) => program && lastPart(set.submit(program, body as never).id),
      delay: ({ ms }) => lastPart(set.delay(ms).id),
      next: (how) => this.#next(set, how),
      tryNext: () => endOf(set.tryNext()),
      iterate: () => this.#iterate(set),
      map: ({ works }) => set.map(activity, works as never),
      cancel: ({ isAll }) => {
        set.cancel(isAll ? undefined : 'nobody')
      },
      close: ({ isAwaited }) => this.#close(set, isAwaited),
      pause: ({ ms }) => this.#context.sleep(ms),
    } satisfies SetDoers
    return (doers[step.op] as (part: SetStep) => unknown)(step)
  }

  #close(set: JoinSet<AnyFunction>, isAwaited: boolean): unknown {
    if (isAwaited) return set.close()
    void set.close().then(() => this.#seen.push('closed'))
    return undefined
  }

  async #next(
    set: JoinSet<AnyFunction>,
    { timeout, isAwaited }: Extract<SetStep, { readonly op: 'next' }>,
  ): Promise<Json> {
    const next = timeout === undefined ? set.next() : set.next({ timeout })
    if (isAwaited) return endOf(await next)
    next.then(
      (end) => this.#seen.push(['later', endOf(end)]),
      (error: unknown) => this.#seen.push(['later', describeError(error)]),
    )
    return 'later'
  }

  /** Ends in an order that does not depend on time. */
  async #iterate(set: JoinSet<AnyFunction>): Promise<Json> {
    const ends: string[] = []
    for await (const end of set) {
      const shown = endOf(end)
      this.#seen.push(['end', shown])
      ends.push(JSON.stringify(shown))
    }
    return ends.toSorted()
  }
}

/** A step whose code is no async function. */
function syncOf(
  code: (context: { readonly attempt: number }) => Promise<unknown>,
  value: number,
  end: StepWork['end'],
): (context: { readonly attempt: number }) => unknown {
  return end === 'ok' ? () => oddValue(value) : code
}

function oddValue(value: number): unknown {
  const values = [
    undefined,
    null,
    new Date(5),
    new Map([[1, new Set(['x'])]]),
    new RangeError('a value'),
    -0,
    [1n, Number.NaN],
    'text',
    { nested: { list: [1, 2, 3] } },
    new URL('https://example.com/x?y=1'),
  ]
  return values[value]
}

function endOf(
  end: { readonly kind: string; readonly id: string; readonly outcome: unknown } | undefined,
): Json {
  if (end === undefined) return null
  return [end.kind, lastPart(end.id), describeOutcome(end.outcome)]
}

function describeOutcome(outcome: unknown): Json {
  const { type, kind, value } = outcome as { type: string; kind?: string; value?: unknown }
  return [type, kind ?? null, describe(value)]
}

function lastPart(id: string): string {
  return id.split('.').at(-1) ?? ''
}

/** A value as JSON; what is thrown away by it makes no difference here. */
function describe(value: unknown): Json {
  if (value instanceof Error) return describeError(value)
  const stored = defaultCodec.encode(value) ?? 'undefined'
  // In plain JSON, so that traces of traces stay plain.
  const isOdd = typeof stored === 'object' && stored !== null && '$devalue' in stored
  return isOdd ? ['odd', JSON.stringify(stored)] : stored
}

function describeError(error: unknown): Json {
  if (isExecutionError(error)) return ['failed', describeOutcome(error.outcome)]
  if (isSteleError(error)) return ['stele', error.code]
  if (error instanceof AggregateError) return ['all', error.errors.map(describeError)]
  return error instanceof Error ? [error.name, error.message] : 'no error'
}
