/** Permits: how many runs may go on at once, in the engine and for each function. */

import { assert } from '../base/assert.ts'
import type { Cancel } from '../base/time.ts'

/** A stock of permits that several executors share. */
export interface Permits {
  /** How many are free. */
  readonly free: () => number
  /** What a function's own limit leaves; infinite when it has none. */
  readonly freeFor: (name: string) => number
  /** Takes up to `wanted`, and says how many. Never waits. */
  readonly reserve: (wanted: number) => number
  /** Gives back permits that were reserved and not used, and tells who found none meanwhile. */
  readonly giveBack: (unused: number) => void
  /** Turns one reserved permit into one for this function. */
  readonly use: (name: string) => void
  /** Gives back the permit of a run of this function, and tells who waits for one. */
  readonly release: (name: string) => void
  /** `wasExhausted`: the function's own limit was used up before. */
  readonly onFreed: (listener: (wasExhausted: boolean) => void) => Cancel
}

/** How many permits there are. */
export interface PermitOptions {
  readonly total: number
  /** Functions with a limit of their own. */
  readonly perFunction: ReadonlyMap<string, number>
}

/** A full stock. */
export function createPermits({ total, perFunction }: PermitOptions): Permits {
  let reserved = 0
  const used = new Map<string, number>()
  const listeners = new Set<(wasExhausted: boolean) => void>()
  const free = (): number => total - reserved
  const freeFor = (name: string): number => {
    const limit = perFunction.get(name)
    return limit === undefined ? Number.POSITIVE_INFINITY : limit - (used.get(name) ?? 0)
  }
  return {
    free,
    freeFor,
    reserve: (wanted) => {
      const granted = Math.max(0, Math.min(wanted, free()))
      reserved += granted
      return granted
    },
    giveBack: (unused) => {
      const wasExhausted = free() <= 0
      reserved -= unused
      assert(reserved >= 0, 'no permit is given back twice')
      // Somebody else may have found none meanwhile, and waits.
      if (wasExhausted && unused > 0) for (const listen of listeners) listen(false)
    },
    use: (name) => {
      if (perFunction.has(name)) used.set(name, (used.get(name) ?? 0) + 1)
    },
    release: (name) => {
      const wasExhausted = freeFor(name) <= 0
      reserved -= 1
      assert(reserved >= 0, 'no permit is given back twice')
      if (perFunction.has(name)) used.set(name, (used.get(name) ?? 0) - 1)
      for (const listen of listeners) listen(wasExhausted)
    },
    onFreed: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
