/**
 * Actions and guards of a machine as data, and as the words of a drawing. A function becomes its
 * name, so that a live machine and its stored definition are read alike.
 */

import { readMember } from '../base/options.ts'
import { isActor, plainOf } from './plain.ts'

/** An action or a guard, as machines in JSON have them. */
export interface Named {
  readonly type: string
  readonly params?: unknown
}

/** What an inline function is called where it has no name of its own. */
export const inlineName = 'inline'

/** Names that JavaScript gives to a function for the key at which it stands. */
const keyNames = new Set(['', 'actions', 'entry', 'exit', 'guard', 'cond', 'src', 'check'])

/** What each of XState's own actions says besides its type. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  assign: [],
  raise: ['event', 'delay'],
  sendTo: ['target', 'event', 'delay'],
  emit: ['event'],
  cancel: ['sendId'],
  log: [],
  enqueueActions: [],
  spawnChild: ['src', 'id'],
  stopChild: ['actorRef'],
  forwardTo: ['target'],
}

/** A list where XState takes one thing or a list of them. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** An action as data. */
export function namedAction(action: unknown): Named {
  if (typeof action !== 'function') return namedObject(action)
  const type = readMember(action, 'type')
  if (typeof type !== 'string' || !type.startsWith('xstate.')) return { type: nameOf(action) }
  const short = type.slice('xstate.'.length)
  const known = renamed[short] ?? short
  const entries = (builtIn[known] ?? []).flatMap((key) => {
    const value = shownPart(key, readMember(action, key === 'target' ? 'to' : key))
    return value === undefined ? [] : [[key, value] as const]
  })
  return entries.length === 0
    ? { type: known }
    : { type: known, params: Object.fromEntries(entries) }
}

/** XState's internal names of actions, where they differ from those of its functions. */
const renamed: Readonly<Record<string, string>> = { sendParent: 'sendTo' }

/** A guard as data; `and`, `or` and `not` keep their parts. */
export function namedGuard(guard: unknown): Named {
  if (typeof guard !== 'function') return namedObject(guard)
  const parts = readMember(guard, 'guards')
  if (Array.isArray(parts)) {
    return { type: nameOf(guard), params: { guards: parts.map(namedGuard) } }
  }
  const stateValue = plainOf(readMember(guard, 'stateValue'))
  return stateValue === undefined
    ? { type: nameOf(guard) }
    : { type: 'stateIn', params: { stateValue } }
}

/** Whether data cannot say all of it: what a function does, or which parameters it gives. */
export function isLossy(part: unknown): boolean {
  return typeof part === 'function' || typeof readMember(part, 'params') === 'function'
}

/** The name of an actor's logic: a machine has one, and what is registered has one. */
export function logicName(src: unknown): string {
  if (typeof src === 'string') return src
  const id = readMember(src, 'id')
  return typeof id === 'string' ? id : inlineName
}

/** An action in words: `assign`, `raise paid`, `send ping to worker`. */
export function actionText({ type, params }: Named): string {
  const said = (key: string): string => textOf(readMember(params, key))
  switch (type) {
    case 'raise':
    case 'emit':
      return [type, said('event')].join(' ').trim()
    case 'sendTo':
      return `send ${said('event')}${said('target') === '' ? '' : ` to ${said('target')}`}`.trim()
    case 'cancel':
      return `cancel ${said('sendId')}`.trim()
    case 'spawnChild':
      return `spawn ${said('src')}`.trim()
    case 'stopChild':
      return `stop ${said('actorRef')}`.trim()
    default:
      return type
  }
}

/** The conditions that must all hold, in words. */
export function guardTexts(guard: Named): readonly string[] {
  if (guard.type === 'and') return partsOf(guard).flatMap(guardTexts)
  if (guard.type === 'or') return [partsOf(guard).map(wrapped).join(' or ')]
  if (guard.type === 'not') return [`not ${partsOf(guard).map(wrapped).join(', ')}`]
  if (guard.type === 'stateIn') return [`in ${textOf(readMember(guard.params, 'stateValue'))}`]
  return [guard.type]
}

function wrapped(guard: Named): string {
  const texts = guardTexts(guard)
  const isJoined = texts.length > 1 || (guard.type === 'or' && partsOf(guard).length > 1)
  return isJoined ? `(${texts.join(' and ')})` : texts.join('')
}

function partsOf({ params }: Named): readonly Named[] {
  return listOf(readMember(params, 'guards')).map(namedObject)
}

function namedObject(part: unknown): Named {
  if (typeof part === 'string') return { type: part }
  const type = readMember(part, 'type')
  const given = readMember(part, 'params')
  const params = typeof given === 'function' ? undefined : plainOf(given)
  const name = typeof type === 'string' ? type : inlineName
  return params === undefined ? { type: name } : { type: name, params }
}

function nameOf(part: unknown): string {
  const name = readMember(part, 'name')
  return typeof name === 'string' && !keyNames.has(name) ? name : inlineName
}

/** A part of an action: what is computed has no text. */
function shownPart(key: string, value: unknown): unknown {
  if (typeof value === 'function' || value === undefined) return undefined
  if (key === 'src') return logicName(value)
  return typeof value === 'object' && value !== null && isActor(value)
    ? readMember(value, 'id')
    : plainOf(value)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  const type = readMember(value, 'type')
  return typeof type === 'string' ? type : JSON.stringify(value)
}
