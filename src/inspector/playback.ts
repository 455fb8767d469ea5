/**
 * A history, shown step by step: by hand, or in the time that things took, faster or slower. An
 * inspector that follows it sees the past as if it were the present.
 */

import { guard } from '../base/logger.ts'
import { invalidOption, requireInteger, showValue } from '../base/options.ts'
import type { Cancel, Instant, Milliseconds, Scheduler } from '../base/time.ts'
import type { ActorFrame, Frame, OnFrame, SnapshotFrame } from './frame.ts'
import type { HistoryStep } from './history.ts'

/** A history that is being shown. */
export interface Playback {
  /** Every step, in order. */
  readonly steps: readonly HistoryStep[]
  /** How many of them are shown. */
  readonly position: () => number
  /** Shows the next step; false when there is none. */
  readonly step: () => boolean
  /**
   * Goes on by itself from where it is; resolves at the end, or when it is paused. `speed` is how
   * much faster than it happened, 1 by default; `Infinity` shows the rest at once.
   */
  readonly play: (options?: { readonly speed?: number | undefined }) => Promise<void>
  /** Stands still. */
  readonly pause: () => void
  /**
   * Goes to where so many steps are shown, forwards or back, and goes on if it was playing. Going
   * back, each execution is shown anew as it was then, and as stopped where there was none yet.
   */
  readonly seek: (position: number) => void
}

/** What a playback stands on. */
export interface PlaybackOptions {
  readonly steps: readonly HistoryStep[]
  /** Takes the frames. What it throws is dropped. */
  readonly onFrame: OnFrame
  readonly scheduler: Scheduler
  /** Longest pause between two steps, whatever lay between them. */
  readonly gapMax: Milliseconds
}

/** A playback that shows nothing yet. */
export function createPlayback(options: PlaybackOptions): Playback {
  return new Player(options)
}

class Player implements Playback {
  readonly steps: readonly HistoryStep[]
  readonly #options: PlaybackOptions
  #position = 0
  #speed = 1
  #cancel: Cancel | undefined
  #resolve: (() => void)[] = []

  constructor(options: PlaybackOptions) {
    this.steps = options.steps
    this.#options = options
  }

  readonly position = (): number => this.#position

  readonly step = (): boolean => {
    const step = this.steps[this.#position]
    if (step === undefined) return false
    this.#position += 1
    step.frames.forEach(this.#tell)
    return true
  }

  readonly play: Playback['play'] = ({ speed = 1 } = {}) => {
    if (typeof speed !== 'number' || !(speed > 0)) {
      const found = showValue(speed)
      return Promise.reject(invalidOption('play.speed', `must be more than 0, not ${found}`))
    }
    this.#speed = speed
    const played = new Promise<void>((resolve) => this.#resolve.push(resolve))
    this.#go()
    return played
  }

  readonly pause = (): void => {
    this.#cancel?.()
    this.#cancel = undefined
    for (const resolve of this.#resolve.splice(0)) resolve()
  }

  readonly seek = (position: number): void => {
    requireInteger(position, 'seek.position', { min: 0, max: this.steps.length })
    if (position < this.#position) this.#goBack(position)
    while (this.#position < position) this.step()
    if (this.#cancel !== undefined) this.#go()
  }

  /** Arms the timer for the next step, or ends. */
  #go(): void {
    this.#cancel?.()
    if (this.#speed === Number.POSITIVE_INFINITY) while (this.step());
    const next = this.steps[this.#position]
    if (next === undefined) {
      this.pause()
      return
    }
    this.#cancel = this.#options.scheduler.after(this.#gapBefore(next.createdAt), () => {
      this.step()
      this.#go()
    })
  }

  #gapBefore(next: Instant): Milliseconds {
    const last = this.steps[this.#position - 1]
    if (last === undefined) return 0
    const gap = (next - last.createdAt) / this.#speed
    return Math.min(this.#options.gapMax, Math.max(0, gap))
  }

  #goBack(position: number): void {
    const shown = this.steps.slice(0, this.#position)
    this.#position = position
    actorsAfter(shown, position).forEach(this.#tell)
  }

  readonly #tell = (frame: Frame): void => {
    guard(() => {
      this.#options.onFrame(frame)
    })
  }
}

/** Every actor as it stood when only so many steps had happened. */
function actorsAfter(steps: readonly HistoryStep[], position: number): readonly Frame[] {
  const actors = new Map<string, ActorFrame | SnapshotFrame>()
  for (const [index, { executionId, frames, after }] of steps.entries()) {
    const born = frames.find((frame) => frame.type === '@xstate.actor')
    const known = born ?? actors.get(executionId)
    if (known === undefined) continue
    if (index < position) actors.set(executionId, { ...known, snapshot: after })
    else if (born !== undefined) actors.set(executionId, notYet(born))
  }
  return [...actors.values()]
}

/** An actor cannot be taken back; one that is stopped comes nearest. */
function notYet({ rootId, sessionId, createdAt, id, _version }: ActorFrame): SnapshotFrame {
  const event = { type: 'stele.not_yet' }
  const snapshot = { status: 'stopped' }
  return {
    type: '@xstate.snapshot',
    event,
    snapshot,
    rootId,
    sessionId,
    createdAt,
    id,
    _version,
  }
}
