/**
 * Events and snapshots as they stand in frames: redacted first, then made plain and bounded. What
 * throws on the way is replaced by a text that says so.
 */

import type { Json } from '../base/json.ts'
import { readMember } from '../base/options.ts'
import type { FrameEvent, FrameSnapshot } from './frame.ts'
import { plainOf } from './plain.ts'
import type { SessionNames } from './session-names.ts'

/** Where a value that is about to be shown comes from. */
export interface Redacted {
  /** What it is to its actor. `event` is a whole event, its `type` included. */
  readonly kind: 'event' | 'context' | 'output' | 'error'
  /** The actor, by the name of its session: the id of an execution, of an executor. */
  readonly sessionId: string
}

/** Gives what may be seen of a value. Must not change the value itself. */
export type Redact = (value: unknown, where: Redacted) => unknown

/** Values of users, as frames carry them. */
export interface FrameValues {
  readonly event: (event: unknown, sessionId: string) => FrameEvent
  readonly snapshot: (snapshot: unknown, sessionId: string) => FrameSnapshot
}

/** What they stand on. */
export interface FrameValuesOptions {
  readonly redact: Redact | undefined
  readonly charsMax: number
  readonly sessions: SessionNames
}

/** What stands where the redaction threw: nothing is shown that may be secret. */
const notRedacted = '[could not be redacted]'

/** Makes events and snapshots fit to be shown. */
export function createFrameValues({ redact, charsMax, sessions }: FrameValuesOptions): FrameValues {
  /** Compiled machines have one snapshot for each state. */
  const snapshots = new WeakMap<object, FrameSnapshot>()
  const seen = (value: unknown, where: Redacted): unknown => {
    if (redact === undefined || value === undefined) return value
    try {
      return redact(value, where)
    } catch {
      return notRedacted
    }
  }
  const show = (value: unknown): Json | undefined =>
    plainOf(value, { charsMax, nameOfActor: sessions.nameOf })
  const convert = (snapshot: unknown, sessionId: string): FrameSnapshot => {
    const part = (kind: 'context' | 'output' | 'error'): Json | undefined =>
      show(seen(readMember(snapshot, kind), { kind, sessionId }))
    return present({
      status: statusOf(snapshot),
      value: show(readMember(snapshot, 'value')),
      tags: tagsOf(snapshot),
      children: childrenOf(snapshot, sessions),
      output: part('output'),
      error: part('error'),
      context: part('context'),
    })
  }
  const convertEvent = (event: unknown, sessionId: string): FrameEvent => {
    const shown = show(seen(event, { kind: 'event', sessionId }))
    const type = sessions.withoutNumbers(String(readMember(event, 'type')))
    return isRecord(shown) ? withNames({ ...shown, type }, sessions) : { type, event: shown }
  }
  return {
    event: convertEvent,
    // With a redaction each actor may have to be shown differently.
    snapshot: redact === undefined ? remembering(snapshots, convert) : convert,
  }
}

function remembering<Shown>(
  known: WeakMap<object, Shown>,
  show: (value: unknown, sessionId: string) => Shown,
): (value: unknown, sessionId: string) => Shown {
  return (value, sessionId) => {
    if (typeof value !== 'object' || value === null) return show(value, sessionId)
    const before = known.get(value)
    if (before !== undefined) return before
    const shown = show(value, sessionId)
    known.set(value, shown)
    return shown
  }
}

/** Events of actors name them a second time. */
function withNames(event: FrameEvent, sessions: SessionNames): FrameEvent {
  const { actorId } = event
  return typeof actorId === 'string'
    ? { ...event, actorId: sessions.withoutNumbers(actorId) }
    : event
}

function tagsOf(snapshot: unknown): Json | undefined {
  const tags = readMember(snapshot, 'tags')
  return tags instanceof Set && tags.size > 0 ? plainOf(tags, { charsMax: 1_000 }) : undefined
}

/** Actors by their ids, as Stately's inspector has them; an actor is its name. */
function childrenOf(snapshot: unknown, sessions: SessionNames): Json | undefined {
  const children = readMember(snapshot, 'children')
  if (!isRecord(children)) return undefined
  const entries = Object.keys(children).flatMap((key) => {
    const child = readMember(children, key)
    if (typeof child !== 'object' || child === null) return []
    const name = sessions.nameOf(child)
    return [[sessions.withoutNumbers(key), { xstate$$type: 1, id: name }] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function isRecord(value: unknown): value is Readonly<Record<string, Json | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function statusOf(snapshot: unknown): string {
  const status = readMember(snapshot, 'status')
  return typeof status === 'string' ? status : 'active'
}

function present(
  fields: { readonly status: string } & Readonly<Record<string, Json | undefined>>,
): FrameSnapshot {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(entries), status: fields.status }
}
