/**
 * Frames that wait for somebody to take them: at most so many, the oldest go first. Whatever goes,
 * every actor that still lives stays known, with its state as of what is gone.
 */

import { type ActorFrame, droppedFrame, type Frame, isEnded, type SnapshotFrame } from './frame.ts'

/** Frames on their way. */
export interface FrameBuffer {
  /** Adds one; the oldest is dropped when there are too many. */
  readonly add: (frame: Frame) => void
  /** Takes what waits, oldest first, up to `limit`, and what is needed to understand it. */
  readonly take: (limit?: number) => readonly Frame[]
  /** What a newcomer needs: the living actors, then what waits. Takes nothing. */
  readonly replay: () => readonly Frame[]
  /** From here on somebody else takes them, who knows none of the actors. */
  readonly startAnew: () => void
  /** Whether there is anything to take: frames, or actors that whoever takes them must know. */
  readonly hasMore: () => boolean
  /** How many wait. */
  readonly size: () => number
}

/** Frames that wait at most, unless told otherwise: some thousand executions, or 10 MB. */
export const framesMaxDefault = 10_000

/** Living actors that are known at most; more do not fit into one process. */
const knownMax = 100_000

/** A buffer of at most `framesMax` frames. */
export function createFrameBuffer(framesMax: number = framesMaxDefault): FrameBuffer {
  return new Ring(framesMax)
}

class Ring implements FrameBuffer {
  readonly #framesMax: number
  #frames: Frame[] = []
  /** Where the oldest is; those before it are gone. */
  #first = 0
  #dropped = 0
  /** Actors whose registration is gone from the frames, with their state as of what is gone. */
  readonly #known = new Map<string, ActorFrame>()
  /** Those of them of which nobody knows, or not where they stand. */
  readonly #untold = new Set<string>()
  /** Those that the reader knows of, and not of their end. */
  readonly #told = new Set<string>()
  /** Ends of which the reader has still to be told. */
  readonly #ends = new Map<string, SnapshotFrame>()

  constructor(framesMax: number) {
    this.#framesMax = framesMax
  }

  readonly size = (): number => this.#frames.length - this.#first

  readonly hasMore = (): boolean => this.size() > 0 || this.#untold.size > 0 || this.#ends.size > 0

  readonly add = (frame: Frame): void => {
    this.#frames.push(frame)
    if (this.size() <= this.#framesMax) return
    const oldest = this.#frames[this.#first]
    this.#first += 1
    this.#dropped += 1
    if (oldest !== undefined) this.#forget(oldest, true)
    this.#shrink()
  }

  readonly take = (limit: number = Number.POSITIVE_INFINITY): readonly Frame[] => {
    const untold = [...this.#known.values()].filter(({ sessionId }) => this.#untold.has(sessionId))
    const ends = [...this.#ends.values()]
    const taken = this.#frames.slice(this.#first, this.#first + limit)
    const marked = this.#marked(taken)
    this.#first += taken.length
    this.#shrink()
    this.#dropped = 0
    this.#untold.clear()
    this.#ends.clear()
    for (const frame of taken) this.#forget(frame, false)
    const all = [...ends, ...untold, ...marked]
    for (const frame of all) this.#note(frame)
    return all
  }

  readonly replay = (): readonly Frame[] => [
    ...this.#known.values(),
    ...this.#marked(this.#frames.slice(this.#first)),
  ]

  readonly startAnew = (): void => {
    for (const sessionId of this.#known.keys()) this.#untold.add(sessionId)
    this.#told.clear()
    this.#ends.clear()
  }

  /** With a mark after the first, so that whoever reads it has heard of its actor. */
  #marked([first, ...rest]: readonly Frame[]): readonly Frame[] {
    if (first === undefined) return []
    return this.#dropped === 0
      ? [first, ...rest]
      : [first, droppedFrame(first, this.#dropped), ...rest]
  }

  /** Lets go of what is gone, but not each time: that would copy all the others. */
  #shrink(): void {
    if (this.#first < this.#frames.length && this.#first <= this.#framesMax) return
    this.#frames = this.#frames.slice(this.#first)
    this.#first = 0
  }

  /** What a frame that goes says of its actor stays, for whoever has not seen it. */
  #forget(frame: Frame, isUnseen: boolean): void {
    if (frame.type === '@xstate.actor') this.#learn(frame, isUnseen)
    if (frame.type !== '@xstate.snapshot') return
    const { sessionId, snapshot } = frame
    const known = this.#known.get(sessionId)
    if (known === undefined) return
    if (!isEnded(snapshot)) {
      this.#learn({ ...known, snapshot }, isUnseen)
      return
    }
    this.#known.delete(sessionId)
    this.#untold.delete(sessionId)
    if (isUnseen && this.#told.has(sessionId)) this.#ends.set(sessionId, frame)
  }

  /** What the reader knows after this frame. */
  #note(frame: Frame): void {
    if (frame.type === '@xstate.actor') this.#told.add(frame.sessionId)
    if (frame.type !== '@xstate.snapshot') return
    if (isEnded(frame.snapshot)) this.#told.delete(frame.sessionId)
  }

  #learn(frame: ActorFrame, isUnseen: boolean): void {
    const { sessionId } = frame
    this.#known.set(sessionId, frame)
    if (isUnseen) this.#untold.add(sessionId)
    if (this.#known.size <= knownMax) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
