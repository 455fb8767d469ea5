/**
 * Names of sessions: an actor's own id, for as long as it lives and whenever it comes back.
 * XState numbers sessions with a counter of the whole process, which means nothing elsewhere.
 */

import { readMember } from '../base/options.ts'
import { logicName } from './machine-parts.ts'

/** Gives actors names that stay. */
export interface SessionNames {
  /** The name of an actor, the same each time. */
  readonly nameOf: (actor: object) => string
  /** The name of the topmost actor above an actor. */
  readonly rootOf: (actor: object) => string
  /** A text in which XState's numbers of actors are replaced by their names. */
  readonly withoutNumbers: (text: string) => string
}

/** Living actors whose names are kept from others; more do not fit into one process. */
const namesMax = 100_000
/** Parents above an actor, before it must be a circle. */
const depthMax = 1_000

/** Names for the actors of any number of systems. */
export function createSessionNames(): SessionNames {
  const names = new WeakMap<object, string>()
  const owners = new Map<string, WeakRef<object>>()
  const numbers = new Map<string, string>()

  const claim = (actor: object): string => {
    const given = String(readMember(actor, 'id'))
    const number = String(readMember(actor, 'sessionId'))
    const own = given === number ? logicName(readMember(actor, 'logic')) : given
    const name = freeName(actor, own)
    owners.set(name, new WeakRef(actor))
    const [oldest] = owners.keys()
    if (owners.size > namesMax && oldest !== undefined) owners.delete(oldest)
    if (given === number) remember(number, name)
    return name
  }
  const remember = (number: string, name: string): void => {
    numbers.set(number, name)
    const [oldest] = numbers.keys()
    if (numbers.size > namesMax && oldest !== undefined) numbers.delete(oldest)
  }
  const freeName = (actor: object, own: string): string => {
    let name = own
    for (let index = 2; !isFree(name, actor); index += 1) name = `${own}~${index}`
    return name
  }
  /** Free is also what belonged to an actor that has ended, or that this one replaces. */
  const isFree = (name: string, actor: object): boolean => {
    const owner = owners.get(name)?.deref()
    return owner === undefined || hasEnded(owner) || replaces(actor, owner)
  }
  const nameOf = (actor: object): string => {
    const known = names.get(actor)
    if (known !== undefined) return known
    const name = claim(actor)
    names.set(actor, name)
    return name
  }
  return {
    nameOf,
    rootOf: (actor) => nameOf(topmost(actor)),
    withoutNumbers: (text) => numbers.get(text) ?? replaceEnd(text, numbers),
  }
}

/** A child that its parent started anew under the same id. */
function replaces(actor: object, owner: object): boolean {
  const parent = readMember(actor, '_parent')
  return parent !== undefined && parent === readMember(owner, '_parent')
}

function hasEnded(actor: object): boolean {
  const status = readMember(readMember(actor, '_snapshot'), 'status')
  return status !== undefined && status !== 'active'
}

function topmost(actor: object): object {
  let top = actor
  for (let depth = 0; depth < depthMax; depth += 1) {
    const parent = readMember(top, '_parent')
    if (typeof parent !== 'object' || parent === null) return top
    top = parent
  }
  return top
}

/** Events of XState end in the id of their actor: `xstate.done.actor.x:7`. */
function replaceEnd(text: string, numbers: ReadonlyMap<string, string>): string {
  const at = text.lastIndexOf('.x:')
  if (at < 0 || !text.startsWith('xstate.')) return text
  const name = numbers.get(text.slice(at + 1))
  return name === undefined ? text : `${text.slice(0, at + 1)}${name}`
}
