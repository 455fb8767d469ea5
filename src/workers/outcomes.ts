/** Stored outcomes → what user code sees: values decoded, failures as errors. */

import { assert } from '../base/assert.ts'
import { type Codec, decodeValue } from '../base/codec.ts'
import type { Outcome, StoredOutcome } from '../model/outcome.ts'
import { ExecutionError } from './execution-error.ts'
import { reviveError } from './stored-error.ts'

/** An outcome with its value decoded. Throws `value_unreadable`. */
export function readOutcome(codec: Codec, outcome: StoredOutcome): Outcome {
  if (outcome.type !== 'execution_failure') {
    return { type: outcome.type, value: decodeValue(codec, outcome.value, 'outcome') }
  }
  const { error: _internal, ...failure } = outcome
  return failure
}

/** What an error is about. */
export interface FailedExecution {
  readonly executionId: string
  readonly functionName: string
  readonly outcome: Exclude<StoredOutcome, { readonly type: 'ok' }>
}

/** The error for an outcome that is no value, with what was thrown as its cause. */
export function executionErrorOf(codec: Codec, failed: FailedExecution): ExecutionError {
  const { executionId, functionName, outcome } = failed
  const shown = readOutcome(codec, outcome)
  assert(shown.type !== 'ok', 'reading an outcome keeps its type')
  const error = outcome.type === 'execution_failure' ? outcome.error : undefined
  const cause = error === undefined ? {} : { cause: reviveError(error) }
  return new ExecutionError({ executionId, functionName, outcome: shown, ...cause })
}
