/** Everything that the engine promises, as invariants for one simulation. */

import { familyInvariants } from './family-invariants.ts'
import type { Invariant } from './invariant.ts'
import { createLogInvariants } from './log-invariants.ts'
import type { SimulationSettings } from './options.ts'

/** Most executions that one executor holds when nothing else is said. */
const concurrencyDefault = 100

/** The invariants of the engine; some remember what they saw, so each simulation has its own. */
export function engineInvariants({ engines }: SimulationSettings): readonly Invariant[] {
  const concurrency = engines.executor?.concurrency ?? concurrencyDefault
  return [...createLogInvariants(), ...familyInvariants, permitsHold(concurrency)]
}

function permitsHold(concurrency: number): Invariant {
  return {
    name: 'no executor holds more than it has permits for',
    check: ({ executions, changes }) => {
      const locked = changes.some(({ steps }) => steps.some(({ entry }) => isLock(entry)))
      if (!locked) return undefined
      const held = new Map<string, number>()
      for (const { state } of executions.values()) {
        if (state.status !== 'locked') continue
        const { executorId } = state.lastOwner
        const count = (held.get(executorId) ?? 0) + 1
        if (count > concurrency) return `${executorId} holds ${count} of ${concurrency}`
        held.set(executorId, count)
      }
      return undefined
    },
  }
}

function isLock({ event }: { readonly event: { readonly type: string } }): boolean {
  return event.type === 'locked'
}
