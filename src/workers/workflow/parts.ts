/** What the members of a workflow's context stand on: the record, the join sets, the steps. */

import type { LocalSteps } from './local-steps.ts'
import type { OpenSets } from './open-sets.ts'
import type { Recorder } from './recorder.ts'

/** The parts of code in the middle of its work. */
export interface Parts {
  readonly recorder: Recorder
  readonly sets: OpenSets
  readonly steps: LocalSteps
}
