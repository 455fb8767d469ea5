/**
 * What the actors of an engine do, for whoever looks through the bridge. While nobody does, nothing
 * is converted: only which actors live is remembered, so that a newcomer learns of them.
 */

import type { InspectionEvent } from 'xstate'
import type { Cancel, Clock } from '../../base/time.ts'
import { createAdapter } from '../adapter.ts'
import type { Frame } from '../frame.ts'
import type { Redact } from '../frame-values.ts'

/** What frames are made with. */
export interface FrameHubOptions {
  readonly clock: Clock
  readonly redact?: Redact | undefined
  /** Characters of an event, or of a snapshot, before it is cut. */
  readonly charsMax: number
}

/** Actors, and those who look at them. */
export interface FrameHub {
  /** Takes an inspection event of XState. */
  readonly next: (event: InspectionEvent) => void
  /** Begins with the actors that live, as they are now, and goes on with what they do. */
  readonly join: (onFrame: (frame: Frame) => void) => Cancel
}

/** Living actors that are remembered; more are not held by one engine. */
const livingMax = 50_000

/** An actor that lives. */
interface Life {
  readonly birth: InspectionEvent
  /** What it did last; absent when it has not begun. */
  last: InspectionEvent | undefined
}

/** A hub that has seen nothing. */
export function createFrameHub(options: FrameHubOptions): FrameHub {
  const living = new Map<string, Life>()
  const adapters = new Set<(event: InspectionEvent) => void>()
  const remember = (event: InspectionEvent): void => {
    const { sessionId } = event.actorRef
    if (event.type === '@xstate.actor' && living.size < livingMax) {
      living.set(sessionId, { birth: event, last: undefined })
    }
    if (event.type !== '@xstate.snapshot') return
    const life = living.get(sessionId)
    if (event.snapshot.status !== 'active') living.delete(sessionId)
    else if (life !== undefined) life.last = event
  }
  return {
    next: (event) => {
      remember(event)
      for (const adapt of adapters) adapt(event)
    },
    join: (onFrame) => {
      const adapt = createAdapter({ ...options, onFrame })
      for (const { birth, last } of living.values()) {
        adapt(birth)
        if (last !== undefined) adapt(last)
      }
      adapters.add(adapt)
      return () => {
        adapters.delete(adapt)
      }
    },
  }
}
