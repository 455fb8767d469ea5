/**
 * XState's inspection events → frames, at once: what a frame says was so when it was made. Any
 * XState actor can be inspected with it. It never throws.
 */

import type { InspectionEvent } from 'xstate'
import { guard } from '../base/logger.ts'
import { readMember } from '../base/options.ts'
import type { Clock } from '../base/time.ts'
import { definitionOf } from './definition.ts'
import {
  type Frame,
  type FrameBase,
  type FrameEvent,
  type FrameNotes,
  type FrameSnapshot,
  frameVersion,
  isEnded,
  type OnFrame,
  type SnapshotFrame,
} from './frame.ts'
import { createFrameValues, type FrameValues, type Redact } from './frame-values.ts'
import { createSessionNames, type SessionNames } from './session-names.ts'

/** What an adapter stands on. */
export interface AdapterOptions {
  readonly clock: Clock
  readonly onFrame: OnFrame
  /** Sees each value of a user before anything else does. */
  readonly redact?: Redact | undefined
  /** Characters of an event, or of a snapshot, before it is cut. */
  readonly charsMax: number
}

/** An observer for `createActor({ inspect })`, or for an engine. */
export function createAdapter(options: AdapterOptions): (event: InspectionEvent) => void {
  const adapter = new Adapter(options)
  return (event) => {
    guard(() => {
      adapter.take(event)
    })
  }
}

type InspectedSnapshotEvent = Extract<InspectionEvent, { readonly type: '@xstate.snapshot' }>

/** An event as an actor was last told of it. */
interface ToldEvent {
  readonly event: unknown
  readonly actorRef: object
  readonly shown: FrameEvent
}

class Adapter {
  readonly #options: AdapterOptions
  readonly #sessions: SessionNames = createSessionNames()
  readonly #values: FrameValues
  /** Engines have few machines and many actors. */
  readonly #definitions = new WeakMap<object, string>()
  #told: ToldEvent | undefined

  constructor(options: AdapterOptions) {
    const { redact, charsMax } = options
    this.#options = options
    this.#values = createFrameValues({ redact, charsMax, sessions: this.#sessions })
  }

  take(event: InspectionEvent): void {
    const frame = this.#frameOf(event)
    if (frame !== undefined) this.#options.onFrame(frame)
  }

  /** Microsteps and actions are no part of the format. */
  #frameOf(event: InspectionEvent): Frame | undefined {
    const { actorRef } = event
    switch (event.type) {
      case '@xstate.actor':
        return this.#actorFrame(actorRef)
      case '@xstate.event':
        return {
          type: event.type,
          event: this.#eventOf(event.event, actorRef),
          ...this.#sourceOf(event.sourceRef),
          ...this.#base(actorRef),
        }
      case '@xstate.snapshot':
        return this.#snapshotFrame(event)
      case '@xstate.microstep':
      case '@xstate.action':
      case '@xstate.transition':
        return undefined
    }
  }

  /** The snapshot does not exist yet when the actor is made; its first frame follows. */
  #actorFrame(actorRef: object): Frame {
    const parent = readMember(actorRef, '_parent')
    const name = this.#sessions.nameOf(actorRef)
    const isRestored = readMember(readMember(actorRef, 'options'), 'snapshot') !== undefined
    const notes: FrameNotes = isRestored ? { restored: true } : {}
    return {
      type: '@xstate.actor',
      name,
      ...(isObject(parent) ? { parentId: this.#sessions.nameOf(parent) } : {}),
      definition: this.#definitionOf(actorRef, name),
      snapshot: { status: 'active' },
      ...this.#base(actorRef),
      ...(isRestored ? { stele: notes } : {}),
    }
  }

  #snapshotFrame({ actorRef, event, snapshot }: InspectedSnapshotEvent): Frame {
    const frame: SnapshotFrame = {
      type: '@xstate.snapshot',
      event: this.#eventOf(event, actorRef),
      snapshot: this.#snapshotOf(snapshot, actorRef),
      ...this.#base(actorRef),
    }
    if (isEnded(frame.snapshot)) this.#sessions.release(actorRef)
    return frame
  }

  #base(actorRef: object): Omit<FrameBase, 'stele'> {
    return {
      rootId: this.#sessions.rootOf(actorRef),
      sessionId: this.#sessions.nameOf(actorRef),
      createdAt: String(this.#options.clock.now()),
      id: null,
      _version: frameVersion,
    }
  }

  /** An event is told of twice in a row: when it is sent, and when it has been taken. */
  #eventOf(event: unknown, actorRef: object): FrameEvent {
    const last = this.#told
    if (last !== undefined && last.event === event && last.actorRef === actorRef) return last.shown
    const shown = this.#values.event(event, this.#sessions.nameOf(actorRef))
    this.#told = { event, actorRef, shown }
    return shown
  }

  #snapshotOf(snapshot: unknown, actorRef: object): FrameSnapshot {
    return this.#values.snapshot(snapshot, this.#sessions.nameOf(actorRef))
  }

  #sourceOf(sourceRef: unknown): { readonly sourceId?: string } {
    return isObject(sourceRef) ? { sourceId: this.#sessions.nameOf(sourceRef) } : {}
  }

  #definitionOf(actorRef: object, name: string): string {
    const logic = readMember(actorRef, 'logic')
    const config = readMember(logic, 'config')
    // Promises and callbacks have a function there.
    if (!isObject(config)) return JSON.stringify({ id: name })
    const known = this.#definitions.get(config)
    if (known !== undefined) return known
    const id = readMember(config, 'id') ?? readMember(logic, 'id')
    const text = definitionText(config, typeof id === 'string' ? id : name, this.#options)
    this.#definitions.set(config, text)
    return text
  }
}

/** Characters of a definition: that of a machine with a thousand states. */
const definitionCharsMax = 1_000_000

/** The text of a machine's configuration, as frames carry it. */
export function definitionText(
  config: object,
  id: string,
  { redact }: Pick<AdapterOptions, 'redact'> = {},
): string {
  const { context, ...rest } = definitionOf({ config, id }).config
  // A context is data: what may not be seen in a snapshot may not be seen here.
  const shown = redact === undefined && context !== undefined ? { ...rest, context } : rest
  const text = JSON.stringify(shown)
  return text.length > definitionCharsMax ? JSON.stringify({ id }) : text
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
