/**
 * Activities in a simulation: the user's own handlers, or simulated ones that succeed, fail, hang
 * and take their time as the seed has it. Every attempt shows in the trace.
 */

import { type Duration, type Milliseconds, parseDuration } from '../base/time.ts'
import type { ActivityContext } from '../workers/activity/context.ts'
import { attachDefinition, findDefinition } from '../workers/definition.ts'
import { err } from '../workers/err.ts'
import type { AnyFunction, Implemented } from '../workers/function-ref.ts'
import type { Choices, Occasion } from './choices.ts'
import type { Life } from './kernel.ts'
import type { Ledger } from './ledger.ts'

/** What a handler can do in a simulation beside what its context offers. */
export interface ActivityWorld {
  /** The world outside of the crash domain. */
  readonly ledger: Ledger
  /** Waits, in simulated time; never ends when the process dies. */
  readonly sleep: (duration: Duration) => Promise<void>
  /** One of `0 .. count - 1`, as the seed has it; 0 is the benign one. */
  readonly choose: (name: string, count: number) => number
}

/** A handler that a simulation puts in place of the real one. */
export type SimulatedHandler<Input, Output> = (
  input: Input,
  context: ActivityContext,
  world: ActivityWorld,
) => Output | Promise<Output>

/** How a simulated activity behaves. Chances are per attempt; what is left of 1 succeeds. */
export interface SimulatedOptions<Input, Output> {
  /** The effect, and what is returned: called once in each attempt that gets so far. */
  readonly ok: SimulatedHandler<Input, Output>
  /** Throws before the effect. */
  readonly fail?: number | undefined
  /** Throws after the effect: it happened, and nobody knows. */
  readonly lost?: number | undefined
  /** Says no: `err('refused')`, before the effect. */
  readonly refuse?: number | undefined
  /** Never answers. Its signal is ignored, too. */
  readonly hang?: number | undefined
  /** Returns what cannot be stored, after the effect. */
  readonly unstorable?: number | undefined
  /** How long an attempt takes: shortest and longest, or always the same. */
  readonly delay?: Duration | readonly [Duration, Duration] | undefined
}

/** What each simulated activity is made of; each simulation makes its own. */
export interface SimulatedActivity<Input, Output> {
  /** How it behaves. */
  readonly '~simulated': SimulatedOptions<Input, Output>
}

/** An activity that succeeds, fails, hangs and takes its time as the seed has it. */
export function simulated<Input, Output>(
  options: SimulatedOptions<Input, Output>,
): SimulatedActivity<Input, Output> {
  return { '~simulated': options }
}

/** A handler of the user's in place of the real one, or a simulated one. */
export type ActivityReplacement =
  | SimulatedHandler<never, unknown>
  | SimulatedActivity<never, unknown>

/** Handlers by the names of the activities that they stand for. */
export type ActivityReplacements = Readonly<Record<string, ActivityReplacement>>

/** An attempt that has begun. */
export interface Attempt {
  readonly process: string
  readonly activity: string
  readonly executionId: string
  readonly attempt: number
  /** Whether its process lives. */
  readonly isAlive: () => boolean
}

/** How an attempt ended; `hung` when it is meant never to end. */
export type AttemptEnd = 'ok' | 'thrown' | 'hung'

/** What the activities of a simulation stand on. */
export interface ActivitiesOptions {
  readonly choices: Choices
  readonly ledger: Ledger
  readonly replacements: ActivityReplacements
  readonly onBegin: (attempt: Attempt) => void
  readonly onEnd: (attempt: Attempt, end: AttemptEnd) => void
}

type Functions = readonly (AnyFunction & Implemented)[]

/** The functions of one process: workflows as they are, activities as this simulation has them. */
export function simulateActivities(
  functions: Functions,
  life: Life,
  options: ActivitiesOptions,
): Functions {
  return functions.map((fn) => {
    const definition = findDefinition(fn)
    if (definition?.kind !== 'activity') return fn
    const replacement = options.replacements[fn.name]
    const real = definition.handler
    const handler = replacement === undefined ? real : handlerOf(replacement, fn.name, options)
    if (handler === undefined) return fn
    const watched = watch(handler, { name: fn.name, life, options })
    return attachDefinition({ ...fn }, { ...definition, handler: watched })
  })
}

type Handler = (input: unknown, context: ActivityContext, world: ActivityWorld) => unknown

interface Watched {
  readonly name: string
  readonly life: Life
  readonly options: ActivitiesOptions
}

function watch(
  handler: Handler,
  { name, life, options }: Watched,
): (input: unknown, context: ActivityContext) => unknown {
  const world = createActivityWorld(life, options)
  return async (input, context) => {
    const { executionId, attempt } = context
    const where = { process: life.process, isAlive: () => life.isAlive() }
    const begun: Attempt = { ...where, activity: name, executionId, attempt }
    const end = (how: AttemptEnd): void => {
      if (life.isAlive()) options.onEnd(begun, how)
    }
    options.onBegin(begun)
    try {
      const value = await handler(input, context, {
        ...world,
        hang: () => end('hung'),
      } as HangWorld)
      end('ok')
      return value
    } catch (thrown) {
      end('thrown')
      throw thrown
    }
  }
}

/** Says that what follows is meant never to end. */
interface HangWorld extends ActivityWorld {
  readonly hang?: () => void
}

function createActivityWorld(life: Life, { choices, ledger }: ActivitiesOptions): ActivityWorld {
  return {
    ledger,
    sleep: (duration) =>
      new Promise((resolve) => {
        life.scheduler.after(parseDuration(duration), resolve)
      }),
    choose: (name, count) => choices.choose(`activity-${name}`, count),
  }
}

function handlerOf(
  replacement: ActivityReplacement,
  name: string,
  options: ActivitiesOptions,
): Handler {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- called with what the engine has
  if (typeof replacement === 'function') return replacement as Handler
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  return behave(replacement['~simulated'] as SimulatedOptions<unknown, unknown>, name, options)
}

/** What a simulated activity throws, as code of users would: no error of the library. */
class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure'
}

type Mishap = 'fail' | 'lost' | 'refuse' | 'hang' | 'unstorable'
const mishaps: readonly Mishap[] = ['fail', 'lost', 'refuse', 'hang', 'unstorable']

function behave(
  simulation: SimulatedOptions<unknown, unknown>,
  name: string,
  { choices }: ActivitiesOptions,
): Handler {
  const occasions = new Map<Mishap, Occasion>()
  const happens = (mishap: Mishap): boolean => {
    const rate = simulation[mishap] ?? 0
    if (rate === 0) return false
    const occasion = occasions.get(mishap) ?? choices.occasion(`${name}-${mishap}`, rate)
    occasions.set(mishap, occasion)
    return occasion()
  }
  return async (input, context, world: HangWorld) => {
    const mishap = mishaps.find(happens)
    const delay = delayOf(simulation.delay, () => choices.choose(`${name}-delay`, delaySteps))
    if (delay > 0) await world.sleep(delay)
    if (mishap === 'fail') throw new SimulatedFailure(`${name} failed, before its effect`)
    if (mishap === 'refuse') return err('refused')
    if (mishap === 'hang') {
      world.hang?.()
      await new Promise<void>(() => undefined)
    }
    const value = await simulation.ok(input, context, world)
    if (mishap === 'lost') throw new SimulatedFailure(`${name} failed, after its effect`)
    return mishap === 'unstorable' ? () => value : value
  }
}

const delaySteps = 8

/** The shortest delay for choice 0, and longer ones at growing distances. */
function delayOf(
  delay: SimulatedOptions<unknown, unknown>['delay'],
  choose: () => number,
): Milliseconds {
  if (delay === undefined) return 0
  if (typeof delay !== 'object') return parseDuration(delay)
  const [min, max] = [parseDuration(delay[0]), parseDuration(delay[1])]
  const share = (2 ** choose() - 1) / (2 ** (delaySteps - 1) - 1)
  return Math.round(min + (max - min) * share)
}
