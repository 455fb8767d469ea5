/** Somewhere frames go: a relay, a viewer, a function. */

import type { OnFrame } from './frame.ts'

/** Takes frames, and holds a bounded number of them while nobody else does. */
export interface FrameSink {
  /** Takes a frame; returns at once, and does not throw. */
  readonly send: OnFrame
  /** Resolves when nothing waits any more, which may be never. */
  readonly drained: () => Promise<void>
  /** Lets go of everything; what still waits is lost. Resolves when that is done. */
  readonly close: () => Promise<void>
}
