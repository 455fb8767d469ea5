/**
 * A machine → its configuration as plain JSON, which `createMachine` takes back, and the list of
 * what JSON cannot say: functions become names.
 */

import type { AnyStateMachine } from 'xstate'
import type { Json, JsonObject } from '../base/json.ts'
import { readMember } from '../base/options.ts'
import { isLossy, logicName, namedAction, namedGuard } from './machine-parts.ts'
import { plainOf } from './plain.ts'

/** Something that a machine has and its JSON has not. */
export interface Lost {
  /** Where it stands, such as `states.paying.on.PAID.guard`. */
  readonly path: string
  /** What stands there instead, if anything. */
  readonly replacedBy?: string
}

/** A machine as data. */
export interface Definition {
  /** What `createMachine` takes. */
  readonly config: JsonObject
  /** What it lacks, in the order of the machine. */
  readonly lost: readonly Lost[]
}

/** Characters of a `context` or `meta` that a definition carries. */
const dataCharsMax = 16_384

/** Reads the configuration of a machine. Works for what `setup().createMachine()` gives as well. */
export function definitionOf({ config, id }: Pick<AnyStateMachine, 'config' | 'id'>): Definition {
  const lost: Lost[] = []
  const state = stateConfig(config, { path: [], lost })
  return { config: { id, ...state }, lost }
}

/** Where the walk is, and what it has found missing. */
interface Place {
  readonly path: readonly string[]
  readonly lost: Lost[]
}

function below(place: Place, ...keys: readonly string[]): Place {
  return { ...place, path: [...place.path, ...keys] }
}

type Reader = (part: unknown, place: Place) => Json | undefined

/** How each key of a state is read; what is not named here is no part of a state. */
const stateKeys: Readonly<Record<string, Reader>> = {
  id: dataPart,
  type: dataPart,
  version: dataPart,
  description: dataPart,
  history: dataPart,
  tags: dataPart,
  meta: dataPart,
  context: dataPart,
  input: dataPart,
  output: dataPart,
  target: dataPart,
  initial: (part, place) => (typeof part === 'string' ? part : transition(part, place)),
  entry: actions,
  exit: actions,
  invoke: (part, place) => oneOrMany(part, place, invocation),
  on: (part, place) => byKey(part, place, transitions),
  after: (part, place) => byKey(part, place, transitions),
  always: transitions,
  onDone: transitions,
  states: (part, place) => byKey(part, place, stateConfig),
}

const transitionKeys: Readonly<Record<string, Reader>> = {
  target: dataPart,
  guard: (part, place) => named(part, place, namedGuard),
  actions,
  reenter: dataPart,
  description: dataPart,
  meta: dataPart,
}

const invocationKeys: Readonly<Record<string, Reader>> = {
  id: dataPart,
  systemId: dataPart,
  src: (part, place) => {
    if (typeof part !== 'string') note(place, logicName(part))
    return logicName(part)
  },
  input: dataPart,
  onDone: transitions,
  onError: transitions,
  onSnapshot: transitions,
}

/** Keys that speak to the compiler alone. */
const typeKeys = new Set(['types', 'schemas'])

function stateConfig(part: unknown, place: Place): JsonObject {
  return keysOf(part, place, stateKeys)
}

function keysOf(
  part: unknown,
  place: Place,
  readers: Readonly<Record<string, Reader>>,
): JsonObject {
  const keys = typeof part === 'object' && part !== null ? Object.keys(part) : []
  for (const key of keys) {
    if (!Object.hasOwn(readers, key) && !typeKeys.has(key)) note(below(place, key))
  }
  const entries = Object.entries(readers).flatMap(([key, read]) => {
    const value = readMember(part, key)
    const json = value === undefined ? undefined : read(value, below(place, key))
    return json === undefined ? [] : [[key, json] as const]
  })
  return Object.fromEntries(entries)
}

function byKey(part: unknown, place: Place, read: Reader): Json {
  if (typeof part !== 'object' || part === null) return {}
  const entries = Object.keys(part).flatMap((key) => {
    const json = read(readMember(part, key), below(place, key))
    return json === undefined ? [] : [[key, json] as const]
  })
  return Object.fromEntries(entries)
}

function oneOrMany(part: unknown, place: Place, read: Reader): Json | undefined {
  if (!Array.isArray(part)) return read(part, place)
  return part.map((entry, index) => read(entry, below(place, String(index))) ?? null)
}

function transitions(part: unknown, place: Place): Json | undefined {
  return oneOrMany(part, place, transition)
}

function transition(part: unknown, place: Place): Json | undefined {
  if (typeof part === 'string') return part
  // `undefined` forbids an event, which JSON says with a transition that does nothing.
  return part === undefined ? {} : keysOf(part, place, transitionKeys)
}

function invocation(part: unknown, place: Place): Json {
  return keysOf(part, place, invocationKeys)
}

function actions(part: unknown, place: Place): Json | undefined {
  return oneOrMany(part, place, (entry, at) => named(entry, at, namedAction))
}

function named(part: unknown, place: Place, read: typeof namedAction): Json {
  const { type, params } = read(part)
  if (isLossy(part)) note(place, type)
  const shown = plainOf(params)
  return shown === undefined ? type : { type, params: shown }
}

/** Data, such as `context`. What is computed is left out. */
function dataPart(part: unknown, place: Place): Json | undefined {
  if (typeof part !== 'function') return plainOf(part, { charsMax: dataCharsMax })
  note(place)
  return undefined
}

function note({ path, lost }: Place, replacedBy?: string): void {
  const shown = path.join('.')
  lost.push(replacedBy === undefined ? { path: shown } : { path: shown, replacedBy })
}
