/**
 * Several logs as one story: by the clock, but nothing before what caused it. Clocks of processes
 * differ, and instants repeat; the order within each log holds whatever they say.
 */

import type { Instant } from '../base/time.ts'

/** A step of some log. */
export interface CausedStep {
  /** When it happened, by the clock of whoever wrote it. */
  readonly createdAt: Instant
  /** What must have been told before. */
  readonly needs?: string | undefined
  /** What may be told after. */
  readonly gives?: string | undefined
}

/** A log of which some has been told. */
interface Telling<Step> {
  readonly steps: readonly Step[]
  next: number
}

/** All steps of all logs. Of one instant, those of earlier logs come first. */
export function mergeSteps<Step extends CausedStep>(
  logs: readonly (readonly Step[])[],
): readonly Step[] {
  const given = new Set<string>()
  const possible = new Set(logs.flatMap((log) => log.flatMap(({ gives }) => gives ?? [])))
  const isReady = ({ needs }: Step): boolean =>
    needs === undefined || given.has(needs) || !possible.has(needs)
  const story: Step[] = []
  let open: Telling<Step>[] = logs.map((steps) => ({ steps, next: 0 }))
  for (;;) {
    open = open.filter(({ steps, next }) => next < steps.length)
    const telling = earliest(open, isReady) ?? earliest(open, () => true)
    const step = telling?.steps[telling.next]
    if (telling === undefined || step === undefined) return story
    telling.next += 1
    story.push(step)
    if (step.gives !== undefined) given.add(step.gives)
  }
}

function earliest<Step extends CausedStep>(
  open: readonly Telling<Step>[],
  isReady: (step: Step) => boolean,
): Telling<Step> | undefined {
  let found: Telling<Step> | undefined
  let first: Step | undefined
  for (const telling of open) {
    const step = telling.steps[telling.next]
    if (step === undefined || !isReady(step)) continue
    if (first !== undefined && !isBefore(step, first)) continue
    found = telling
    first = step
  }
  return found
}

/** Of one instant, what was caused comes before what merely follows. */
function isBefore(step: CausedStep, other: CausedStep): boolean {
  if (step.createdAt !== other.createdAt) return step.createdAt < other.createdAt
  return step.needs !== undefined && other.needs === undefined
}
