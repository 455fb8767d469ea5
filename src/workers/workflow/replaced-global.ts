/**
 * Globals that are replaced for a while, and put back: each by a twin that asks at every call
 * whether it is to answer. It must not know what the answers are.
 */

/** Something that is either in force in this process or not. */
export interface Installable {
  /** Not called while installed. */
  readonly install: () => void
  /** Not called while not installed. */
  readonly uninstall: () => void
}

/** Any function. */
export type AnyFunction = (...args: readonly unknown[]) => unknown

/** Makes the guarded twin of a global that is in force already. */
export type Wrap = (original: AnyFunction) => AnyFunction

/** Who is to answer, or `undefined` to let the original do it. */
export type Find<Scope> = () => Scope | undefined
/** An answer in place of the original's. */
export type Answer<Scope> = (scope: Scope) => number

/** A twin without arguments. */
export function wrapAnswer<Scope>(
  original: AnyFunction,
  find: Find<Scope>,
  answer: Answer<Scope>,
): AnyFunction {
  const guarded = function (this: unknown): unknown {
    const scope = find()
    return scope === undefined ? Reflect.apply(original, this, []) : answer(scope)
  }
  mirror(original, guarded)
  return guarded
}

/** A twin of `Date` that knows another present. */
export function wrapDate<Scope>(
  original: AnyFunction,
  find: Find<Scope>,
  now: Answer<Scope>,
): AnyFunction {
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

/** Registered by Node: where `promisify` finds the form of a function that gives promises. */
const promisifiedKey = Symbol.for('nodejs.util.promisify.custom')

/** The form that gives promises is guarded as well; Node makes it when it is first asked for. */
export function guardPromisified(original: AnyFunction, guarded: AnyFunction, wrap: Wrap): void {
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
export function mirror(original: AnyFunction, twin: AnyFunction): void {
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

/** A property, and what is put in its place. */
export interface PlaceOptions {
  readonly owner: object
  readonly key: string
  readonly wrap: Wrap
  readonly isActive: () => boolean
}

/**
 * One property that is replaced while installed. Whoever replaces it after us keeps it: ours then
 * stays below theirs, passes every call through, and is used again by the next install.
 */
export function createPlace({ owner, key, wrap, isActive }: PlaceOptions): Installable {
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
export function createDatePlaces(world: object, date: Installable): Installable {
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
