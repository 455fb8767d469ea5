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
  /** An actor has ended: another one may have its name. */
  readonly release: (actor: object) => void
  /** A text in which XState's numbers of actors are replaced by their names. */
  readonly withoutNumbers: (text: string) => string
}

/** Actors that are remembered at most; of those that never end, the oldest are forgotten. */
const actorsMax = 10_000
/** Parents above an actor, before it must be a circle. */
const depthMax = 1_000

/** What is known of an actor. Plain maps: weak ones cost more than all the rest of a frame. */
interface Session {
  readonly name: string
  root: string | undefined
}

/** Names for the actors of any number of systems. */
export function createSessionNames(): SessionNames {
  const sessions = new Map<object, Session>()
  const owners = new Map<string, object>()
  const numbers = new Map<string, string>()

  const sessionOf = (actor: object): Session => {
    const known = sessions.get(actor)
    if (known !== undefined) return known
    const given = String(readMember(actor, 'id'))
    const number = String(readMember(actor, 'sessionId'))
    const own = given === number ? logicName(readMember(actor, 'logic')) : given
    const session: Session = { name: freeName(actor, own), root: undefined }
    // Of an actor that has ended one may still hear, and need not remember it.
    if (hasEnded(actor)) return session
    keep(sessions, actor, session)
    keep(owners, session.name, actor)
    if (given === number) keep(numbers, number, session.name)
    return session
  }
  const freeName = (actor: object, own: string): string => {
    let name = own
    for (let index = 2; !isFree(name, actor); index += 1) name = `${own}~${index}`
    return name
  }
  /** Free is also what belonged to an actor that has ended, or that this one replaces. */
  const isFree = (name: string, actor: object): boolean => {
    const owner = owners.get(name)
    return owner === undefined || hasEnded(owner) || replaces(actor, owner)
  }
  const nameOf = (actor: object): string => sessionOf(actor).name
  return {
    nameOf,
    rootOf: (actor) => {
      const session = sessionOf(actor)
      session.root ??= nameOf(topmost(actor))
      return session.root
    },
    release: (actor) => {
      const session = sessions.get(actor)
      sessions.delete(actor)
      if (session !== undefined && owners.get(session.name) === actor) owners.delete(session.name)
    },
    withoutNumbers: (text) => numbers.get(text) ?? replaceEnd(text, numbers),
  }
}

function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value)
  if (map.size <= actorsMax) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
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
