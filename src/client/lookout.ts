/**
 * One look for all who wait for executions that other processes carry on: by foreign commits, and
 * once a second in case every notice was lost. A look of each one's own would storm the storage.
 */

import type { Cancel, Milliseconds, Scheduler } from '../base/time.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState } from '../model/state.ts'
import type { Storage } from '../storage/storage.ts'

/** How often one looks who has heard nothing. */
export const resultPollInterval: Milliseconds = 1_000
/** Executions that one transaction looks at: 1 ms of the event loop. */
export const looksPerTurn = 200
/** Those who wait at most, and are told at each commit of others at once. */
const promptMax = 20
/** Beyond that a look costs something, and there is one of 10 µs a waiter in 100. */
const pausePerWaiter = 0.1

/** Told of a state that was seen; of `undefined` when one has to look oneself, and learn why. */
export type SeenListener = (state: ExecutionState | undefined) => void

/** Looks at executions while anybody wants to know. */
export interface Lookout {
  readonly watch: (executionId: ExecutionId, onSeen: SeenListener) => Cancel
}

/** What a lookout stands on. */
export interface LookoutOptions {
  readonly storage: Pick<Storage, 'findStates' | 'notifications'>
  readonly scheduler: Scheduler
}

/** A lookout that nobody has asked anything. */
export function createLookout(options: LookoutOptions): Lookout {
  return new SharedLookout(options)
}

interface Watcher {
  readonly executionId: ExecutionId
  readonly onSeen: SeenListener
}

class SharedLookout implements Lookout {
  readonly #options: LookoutOptions
  readonly #watchers = new Set<Watcher>()
  #unlisten: Cancel | undefined
  #poll: Cancel | undefined
  #soon: Cancel | undefined
  #isLooking = false
  #looksAgain = false

  constructor(options: LookoutOptions) {
    this.#options = options
  }

  watch(executionId: ExecutionId, onSeen: SeenListener): Cancel {
    const watcher = { executionId, onSeen }
    this.#watchers.add(watcher)
    this.#unlisten ??= this.#options.storage.notifications.onForeign(() => {
      this.#lookSoon()
    })
    if (!this.#isLooking) this.#pollLater()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.#rest()
    }
  }

  #lookSoon(): void {
    if (this.#isLooking) this.#looksAgain = true
    else if (this.#watchers.size <= promptMax) void this.#look()
    else {
      const pause = Math.min(this.#watchers.size * pausePerWaiter, resultPollInterval)
      this.#soon ??= this.#options.scheduler.after(pause, () => void this.#look())
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#looksAgain = false
    this.#disarm()
    const watchers = [...this.#watchers]
    for (let start = 0; start < watchers.length; start += looksPerTurn) {
      // Others get their turn between.
      if (start > 0) await new Promise<void>((resolve) => this.#options.scheduler.soon(resolve))
      await this.#lookAt(watchers.slice(start, start + looksPerTurn))
    }
    this.#isLooking = false
    if (this.#watchers.size === 0) return
    this.#pollLater()
    if (this.#looksAgain) this.#lookSoon()
  }

  async #lookAt(watchers: readonly Watcher[]): Promise<void> {
    const present = watchers.filter((watcher) => this.#watchers.has(watcher))
    const ids = new Set(present.map(({ executionId }) => executionId))
    const states = new Map<ExecutionId, ExecutionState>()
    try {
      const found = await this.#options.storage.findStates([...ids])
      for (const state of found) states.set(state.executionId, state)
    } catch {
      // Each of them meets the same fault, and reports it.
    }
    for (const watcher of present) {
      if (this.#watchers.has(watcher)) watcher.onSeen(states.get(watcher.executionId))
    }
  }

  #pollLater(): void {
    this.#poll ??= this.#options.scheduler.after(
      resultPollInterval,
      () => void this.#look(),
      'watch',
    )
  }

  #disarm(): void {
    this.#poll?.()
    this.#soon?.()
    this.#poll = undefined
    this.#soon = undefined
  }

  #rest(): void {
    this.#disarm()
    this.#unlisten?.()
    this.#unlisten = undefined
  }
}
