/**
 * The globals whose answers a replay could not repeat: clock, dice, timers and the network. While
 * installed they ask at every call whether a workflow is running. They must not know how that is
 * found out, nor what a workflow is.
 *
 * Out of reach: what was taken before (`const { now } = Date`, a subclass of Date), and the
 * modules of Node (`node:timers`, `performance`, `crypto`).
 */

import { SteleError } from '../../base/error.ts'
import { guard } from '../../base/logger.ts'
import {
  type AnyFunction,
  createDatePlaces,
  createPlace,
  type Find,
  guardPromisified,
  type Installable,
  mirror,
  type Wrap,
  wrapAnswer,
  wrapDate,
} from './replaced-global.ts'

/** What the clock and the dice answer with inside one execution of a workflow. */
export interface GlobalsScope {
  /** The workflow's function; warnings are given once for each. */
  readonly functionName: string
  /** The workflow's time, integer milliseconds since 1970. Must not ask Date itself. */
  readonly now: () => number
  /** A number in [0, 1) that a replay draws again. */
  readonly random: () => number
  /** Takes a sentence for whoever wrote the workflow. Called outside workflow code. */
  readonly warn: (message: string) => void
}

/** How workflow code is told from all other code. */
export interface Whereabouts<Scope> {
  /** The scope of the running code, or `undefined` outside workflows. */
  readonly current: () => Scope | undefined
  /** Runs `fn` as if outside. */
  readonly leave: <T>(fn: () => T) => T
}

const forbidden = {
  setTimeout: 'Await `sleep` of the context instead.',
  setInterval: 'Write a loop that awaits `sleep` of the context.',
  setImmediate: 'Call the function directly, or inside a `step`.',
  fetch: 'Call it inside a `step`, or in an activity.',
} as const

/** The guarded globals, not yet in force. */
export function createGuardedGlobals(whereabouts: Whereabouts<GlobalsScope>): Installable {
  let isActive = false
  const warned = new Set<string>()
  const find = (): GlobalsScope | undefined => (isActive ? whereabouts.current() : undefined)
  const warn = (scope: GlobalsScope, what: string): void => {
    if (warned.has(scope.functionName)) return
    warned.add(scope.functionName)
    guard(() => {
      whereabouts.leave(() => {
        scope.warn(adviceOf(scope.functionName, what))
      })
    })
  }
  const now = (scope: GlobalsScope): number => {
    warn(scope, 'reads the clock through Date')
    return scope.now()
  }
  const random = (scope: GlobalsScope): number => {
    warn(scope, 'draws random numbers from Math')
    return scope.random()
  }
  // oxlint-disable-next-line no-restricted-globals -- the globals are what is guarded
  const world: object = globalThis
  const asksActive = (): boolean => isActive
  const place = (owner: object, key: string, wrap: Wrap): Installable =>
    createPlace({ owner, key, wrap, isActive: asksActive })
  const places = [
    createDatePlaces(
      world,
      place(world, 'Date', (original) => wrapDate(original, find, now)),
    ),
    place(Math, 'random', (original) => wrapAnswer(original, find, random)),
    ...Object.entries(forbidden).map(([key, advice]) =>
      place(world, key, (original) => wrapForbidden(original, find, { key, advice })),
    ),
  ]
  return {
    install: () => {
      isActive = true
      for (const each of places) each.install()
    },
    uninstall: () => {
      isActive = false
      for (const each of places) each.uninstall()
      warned.clear()
    },
  }
}

function adviceOf(functionName: string, what: string): string {
  return (
    `The workflow ${functionName} ${what}. It was given an answer that a replay repeats; ` +
    'call `now()` and `random()` of the context, so that the code says so.'
  )
}

type FindScope = Find<GlobalsScope>

interface Forbidden {
  readonly key: string
  readonly advice: string
}

function wrapForbidden(original: AnyFunction, find: FindScope, what: Forbidden): AnyFunction {
  const guarded = function (this: unknown, ...args: readonly unknown[]): unknown {
    const scope = find()
    if (scope !== undefined) throw forbiddenError(scope, what)
    return Reflect.apply(original, this, args)
  }
  mirror(original, guarded)
  guardPromisified(original, guarded, (promisified) => wrapForbidden(promisified, find, what))
  return guarded
}

function forbiddenError({ functionName }: GlobalsScope, { key, advice }: Forbidden): SteleError {
  return new SteleError(
    'forbidden_in_workflow',
    `The workflow ${functionName} called \`${key}\`, which a replay cannot repeat. ${advice}`,
    { fields: { functionName, global: key } },
  )
}
