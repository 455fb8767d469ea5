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

/** Something that is either in force in this process or not. */
export interface Installable {
  /** Not called while installed. */
  readonly install: () => void
  /** Not called while not installed. */
  readonly uninstall: () => void
}

type AnyFunction = (...args: readonly unknown[]) => unknown

/** Makes the guarded twin of a global that is in force already. */
type Wrap = (original: AnyFunction) => AnyFunction

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

type FindScope = () => GlobalsScope | undefined
type Answer = (scope: GlobalsScope) => number

function wrapAnswer(original: AnyFunction, find: FindScope, answer: Answer): AnyFunction {
  const guarded = function (this: unknown): unknown {
    const scope = find()
    return scope === undefined ? Reflect.apply(original, this, []) : answer(scope)
  }
  mirror(original, guarded)
  return guarded
}

function wrapDate(original: AnyFunction, find: FindScope, now: Answer): AnyFunction {
  const guarded = function (...args: readonly unknown[]): unknown {
    if (new.target === undefined) {
      const scope = find()
      return scope === undefined ? original() : String(Reflect.construct(original, [now(scope)]))
    }
    const scope = args.length === 0 ? find() : undefined
    const values = scope === undefined ? args : [now(scope)]
    // A constructor that is not the called one costs 100 ns on Node 20; only subclasses need it.
    if (new.target === guarded) return Reflect.construct(original, values)
    return Reflect.construct(original, values, new.target)
  }
  mirror(original, guarded)
  const asksTime: unknown = Reflect.get(original, 'now')
  if (isFunction(asksTime)) redefine(guarded, 'now', wrapAnswer(asksTime, find, now))
  return guarded
}

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

/** Registered by Node: where `promisify` finds the form of a function that gives promises. */
const promisifiedKey = Symbol.for('nodejs.util.promisify.custom')

/** The form that gives promises is guarded as well; Node makes it when it is first asked for. */
function guardPromisified(original: AnyFunction, guarded: AnyFunction, wrap: Wrap): void {
  if (!Object.hasOwn(original, promisifiedKey)) return
  let known: unknown
  let answer: unknown
  Object.defineProperty(guarded, promisifiedKey, {
    configurable: true,
    enumerable: true,
    get: () => {
      const found: unknown = Reflect.get(original, promisifiedKey)
      if (found !== known) answer = isFunction(found) ? wrap(found) : found
      known = found
      return answer
    },
  })
}

/** Gives a twin what its original has of its own: name, length, prototype, and what others add. */
function mirror(original: AnyFunction, twin: AnyFunction): void {
  for (const key of Reflect.ownKeys(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key)
    if (descriptor === undefined || key === layerKey || key === promisifiedKey) continue
    Object.defineProperty(twin, key, descriptor)
  }
}

function redefine(owner: object, key: string, value: unknown): void {
  const enumerable = Object.getOwnPropertyDescriptor(owner, key)?.enumerable ?? false
  Object.defineProperty(owner, key, { value, enumerable, writable: true, configurable: true })
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

interface PlaceOptions {
  readonly owner: object
  readonly key: string
  readonly wrap: Wrap
  readonly isActive: () => boolean
}

/**
 * One property that is replaced while installed. Whoever replaces it after us keeps it: ours then
 * stays below theirs, passes every call through, and is used again by the next install.
 */
function createPlace({ owner, key, wrap, isActive }: PlaceOptions): Installable {
  let twin: AnyFunction | undefined
  let layer: Layer | undefined
  let made: OwnValues = new Map()
  return {
    install: () => {
      const under = Object.getOwnPropertyDescriptor(owner, key)
      const original: unknown = Reflect.get(owner, key)
      if (under?.configurable !== true || !isFunction(original)) return
      if (twin !== undefined && isBelow(original, twin)) return
      twin = wrap(original)
      layer = { under, isActive }
      Object.defineProperty(twin, layerKey, { value: layer })
      made = ownValues(twin)
      redefine(owner, key, twin)
    },
    uninstall: () => {
      if (twin === undefined || layer === undefined) return
      if (Reflect.get(owner, key) !== twin || !isSame(ownValues(twin), made)) return
      Object.defineProperty(owner, key, firstActive(layer))
      twin = undefined
    },
  }
}

/** Date, and the `constructor` that every date names: the two stay the same function. */
function createDatePlaces(world: object, date: Installable): Installable {
  const inForce = (): unknown => Reflect.get(world, 'Date')
  let before: unknown
  let prototype: unknown
  return {
    install: () => {
      before = inForce()
      date.install()
      const twin = inForce()
      if (layerOf(twin) === undefined || !isFunction(twin)) return
      prototype = Reflect.get(twin, 'prototype')
      if (isObject(prototype)) redefine(prototype, 'constructor', twin)
    },
    uninstall: () => {
      const held = inForce()
      date.uninstall()
      // Somebody who replaced Date for a while puts ours back in the end: dates name it still.
      if (!isObject(prototype) || (inForce() === held && held !== before)) return
      const layer = layerOf(Reflect.get(prototype, 'constructor'))
      if (layer === undefined || layer.isActive()) return
      Object.defineProperty(prototype, 'constructor', firstActive(layer))
    },
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** What a twin stands on. */
interface Layer {
  readonly under: PropertyDescriptor
  readonly isActive: () => boolean
}

// Registered, so that two copies of the package know each other's twins and leave none behind.
const layerKey = Symbol.for('stele.guarded')

function isLayer(value: unknown): value is Layer {
  return isObject(value) && 'under' in value && 'isActive' in value
}

function layerOf(value: unknown): Layer | undefined {
  if (!isFunction(value) || !Object.hasOwn(value, layerKey)) return undefined
  const layer: unknown = Reflect.get(value, layerKey)
  return isLayer(layer) ? layer : undefined
}

function isBelow(top: unknown, twin: AnyFunction): boolean {
  if (top === twin) return true
  const layer = layerOf(top)
  return layer !== undefined && isBelow(layer.under.value, twin)
}

/** What to put back: twins that nobody needs any more are skipped. */
function firstActive({ under }: Layer): PropertyDescriptor {
  const below = layerOf(under.value)
  return below === undefined || below.isActive() ? under : firstActive(below)
}

type OwnValues = ReadonlyMap<PropertyKey, unknown>

/** To see whether somebody has put a stub of theirs on a twin, as on `now` of Date. */
function ownValues(twin: AnyFunction): OwnValues {
  return new Map(
    Reflect.ownKeys(twin).map((key) => {
      const found: { get?: unknown; value?: unknown } | undefined = Object.getOwnPropertyDescriptor(
        twin,
        key,
      )
      return [key, found?.get ?? found?.value]
    }),
  )
}

function isSame(one: OwnValues, other: OwnValues): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}
