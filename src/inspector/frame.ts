/**
 * Frames: what an inspector receives, in the wire format of Stately's (`@statelyai/inspect` 0.7.2).
 * Plain JSON; a live observer and the log of an execution give the same ones.
 */

import type { Json, JsonObject } from '../base/json.ts'

/** The version of the format, which receivers look for. */
export const frameVersion = '0.7.2'

/** What Stately's inspector knows nothing of, and lets pass. */
export interface FrameNotes {
  /** The actor goes on from a stored snapshot: what looks like its start is none. */
  readonly restored?: true
  /** So many frames are missing here: nobody took them in time. */
  readonly dropped?: number
  /** The version of the log after what this frame shows. */
  readonly version?: number
  /** The execution has children that are not shown, because there are too many. */
  readonly hidden?: true
}

/** What every frame has. */
export interface FrameBase {
  /** The topmost actor: an executor, the timers watcher, or the root of a tree of executions. */
  readonly rootId: string
  /** The actor: the id of an executor or of an execution, or `timers-watcher`. */
  readonly sessionId: string
  /** When it happened: milliseconds since 1970, as text. */
  readonly createdAt: string
  /** Always null: frames have no ids of their own. */
  readonly id: null
  /** The version of the format. */
  readonly _version: string
  /** What Stately's inspector knows nothing of. */
  readonly stele?: FrameNotes
}

/** An event of an actor. */
export interface FrameEvent extends JsonObject {
  /** Its name. */
  readonly type: string
}

/** Where an actor stands. */
export interface FrameSnapshot extends JsonObject {
  /** `active`, `done`, `error` or `stopped`. */
  readonly status: string
  /** The state of a machine. */
  readonly value?: Json
  /** The data of a machine. */
  readonly context?: Json
}

/** An actor came into being. */
export interface ActorFrame extends FrameBase {
  /** Which frame it is. */
  readonly type: '@xstate.actor'
  /** What people call it. */
  readonly name: string
  /** The actor that started it; absent for a root. */
  readonly parentId?: string
  /** The configuration of its machine, as the text of JSON. */
  readonly definition: string
  /** Where it stood. */
  readonly snapshot: FrameSnapshot
}

/** An actor was sent an event. */
export interface EventFrame extends FrameBase {
  /** Which frame it is. */
  readonly type: '@xstate.event'
  /** The event. */
  readonly event: FrameEvent
  /** The actor that sent it; absent when it came from outside. */
  readonly sourceId?: string
}

/** An actor has taken an event. */
export interface SnapshotFrame extends FrameBase {
  /** Which frame it is. */
  readonly type: '@xstate.snapshot'
  /** The event. */
  readonly event: FrameEvent
  /** Where it stands since. */
  readonly snapshot: FrameSnapshot
}

/** What an inspector receives. */
export type Frame = ActorFrame | EventFrame | SnapshotFrame

/** Takes frames as they come. Must not throw, and should not wait. */
export type OnFrame = (frame: Frame) => void

/** A frame in the place of frames that nobody took in time. */
export function droppedFrame(next: Frame, dropped: number): EventFrame {
  const { rootId, sessionId, createdAt } = next
  return {
    type: '@xstate.event',
    event: { type: 'stele.dropped', count: dropped },
    rootId,
    sessionId,
    createdAt,
    id: null,
    _version: frameVersion,
    stele: { dropped },
  }
}

/** Whether an actor has ended. */
export function isEnded({ status }: FrameSnapshot): boolean {
  return status !== 'active'
}
