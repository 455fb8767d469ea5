/** Builders of frames, and actors that are watched. */

import type { InspectionEvent } from 'xstate'
import { type AdapterOptions, createAdapter } from '../../../src/inspector/adapter.ts'
import type { ActorFrame, Frame, SnapshotFrame } from '../../../src/inspector/frame.ts'

function base(
  sessionId: string,
): Pick<ActorFrame, 'rootId' | 'createdAt' | 'id' | '_version'> & Pick<ActorFrame, 'sessionId'> {
  return { rootId: 'root', sessionId, createdAt: '0', id: null, _version: '0.7.2' }
}

/** An actor came into being. */
export function actorFrame(sessionId: string): ActorFrame {
  const snapshot = { status: 'active' }
  return { type: '@xstate.actor', name: sessionId, definition: '{}', snapshot, ...base(sessionId) }
}

/** An actor took an event and is in a state. */
export function snapshotFrame(sessionId: string, value: string, status = 'active'): SnapshotFrame {
  const event = { type: `to_${value}` }
  return { type: '@xstate.snapshot', event, snapshot: { status, value }, ...base(sessionId) }
}

/** A frame in a few words: `order-1`, `order-1 paid`, `order-1 PAID!`. */
export function brief(frame: Frame): string {
  if (frame.type === '@xstate.event') return `${frame.sessionId} ${frame.event.type}!`
  const { value = '', status } = frame.snapshot
  const state = typeof value === 'string' ? value : JSON.stringify(value)
  const begun = frame.type === '@xstate.actor' ? '+' : ''
  return `${begun}${frame.sessionId} ${state}${status === 'active' ? '' : ` (${status})`}`.trim()
}

/** What an adapter makes of what it is shown. */
export function watch(options: Partial<AdapterOptions> = {}): {
  readonly frames: readonly Frame[]
  readonly inspect: (event: InspectionEvent) => void
} {
  const frames: Frame[] = []
  const clock = { now: () => 1000 }
  const onFrame = (frame: Frame): void => {
    frames.push(frame)
  }
  return { frames, inspect: createAdapter({ clock, onFrame, charsMax: 10_000, ...options }) }
}
