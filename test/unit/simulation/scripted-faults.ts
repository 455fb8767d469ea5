/** Faults that a test writes down, instead of a seed. */

import { createChoices } from '../../../src/simulation/choices.ts'
import {
  createFaults,
  drawPlan,
  type FaultKind,
  type FaultOptions,
  type Faults,
} from '../../../src/simulation/faults.ts'

/** Faults of these kinds happen so many times, from the beginning on. */
export function scriptedFaults(
  times: Partial<Record<FaultKind, number>>,
  options: FaultOptions & { readonly picks?: number } = {},
): Faults {
  const { picks = 0, ...rest } = options
  const left = new Map(Object.entries(times))
  const choices = createChoices({ seed: 1, tapes: {} })
  const faults = createFaults(drawPlan(rest, choices), choices)
  return {
    ...faults,
    happens: (kind) => {
      const count = left.get(kind) ?? 0
      left.set(kind, count - 1)
      return !faults.isHealed() && count > 0
    },
    lengthOf: (_, max) => max,
    pick: (_, count) => Math.min(picks, count - 1),
  }
}
