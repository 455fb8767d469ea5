/** Frames of executions that wait, kept in memory so that they need no replay: the latest used. */

import type { Version } from '../../model/event.ts'
import type { ExecutionId } from '../../model/ids.ts'
import type { Frame } from './frame.ts'

/** Frames that wait. */
export class WarmRuns {
  readonly #max: number
  /** The one used longest ago comes first. */
  readonly #frames = new Map<ExecutionId, { readonly frame: Frame; readonly version: Version }>()

  constructor(max: number) {
    this.#max = max
  }

  /** Keeps a frame that knows the log up to `version`. */
  put(frame: Frame, version: Version): void {
    const { executionId } = frame.options
    this.#frames.delete(executionId)
    this.#frames.set(executionId, { frame, version })
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size <= this.#max) return
      this.#frames.delete(oldest)
    }
  }

  /** Takes the frame of an execution out, if it knows the log up to `version`. */
  take(executionId: ExecutionId, version: Version): Frame | undefined {
    const kept = this.#frames.get(executionId)
    this.#frames.delete(executionId)
    return kept?.version === version ? kept.frame : undefined
  }

  /** The version up to which the frame of an execution knows the log, while it is kept. */
  versionOf(executionId: ExecutionId): Version | undefined {
    return this.#frames.get(executionId)?.version
  }

  /** Forgets the frame of an execution. */
  drop(executionId: ExecutionId): void {
    this.#frames.delete(executionId)
  }

  /** How many are kept. */
  size(): number {
    return this.#frames.size
  }

  /** Forgets all of them. */
  clear(): void {
    this.#frames.clear()
  }
}
