/** How a run of a workflow ended → the result that the engine settles. */

import { unreachable } from '../../base/assert.ts'
import { encodeValue } from '../../base/codec.ts'
import { isSteleError } from '../../base/error.ts'
import { copyJson, type Json } from '../../base/json.ts'
import type { AbortReason, FatalError, WorkerResult } from '../../engine/worker.ts'
import type { DeploymentId } from '../../model/ids.ts'
import { isActivityError, isErr } from '../err.ts'
import { describeFailure, isExecutionError } from '../execution-error.ts'
import { parseWith, type Schema } from '../schema.ts'
import { describeThrown } from '../stored-error.ts'
import type { FrameEnd } from './frame.ts'
import { describeMismatch, describeParting } from './mismatch.ts'
import type { FrameFault, RecorderOptions } from './recorder.ts'

/** What results are made with. */
export type ResultOptions = Pick<
  RecorderOptions,
  'codec' | 'definition' | 'valueBytes' | 'errorDetailBytes'
>

/** The handler has ended. */
export function resultOfEnd(options: ResultOptions, end: FrameEnd): WorkerResult {
  const { output, failure } = options.definition.settings
  if (end.type === 'threw') {
    const { error } = end
    if (!isActivityError(error)) return trap(options, error)
    return resultOfValue(options, { type: 'err', read: () => error.value, schema: failure })
  }
  const { value } = end
  if (isErr(value)) {
    return resultOfValue(options, { type: 'err', read: () => value.value, schema: failure })
  }
  return resultOfValue(options, { type: 'ok', read: () => value, schema: output })
}

interface EndValue {
  readonly type: 'ok' | 'err'
  /** A failure may refuse to be read. */
  readonly read: () => unknown
  readonly schema: Schema | undefined
}

function resultOfValue(options: ResultOptions, end: EndValue): WorkerResult {
  const { type } = end
  try {
    const stored = store(options, end)
    return {
      type: 'run_finished',
      outcome: stored === undefined ? { type } : { type, value: stored },
    }
  } catch (cause) {
    const { reason: said, detail } = describeThrown(cause, options.errorDetailBytes)
    const reason = isSteleError(cause) ? said : `the ${rootOf(end)} cannot be stored: ${said}`
    return fatal({ type: 'result_not_storable', reason, ...optionalDetail(detail) })
  }
}

function store({ codec, valueBytes }: ResultOptions, end: EndValue): Json | undefined {
  const root = rootOf(end)
  const code = 'invalid_input'
  const consequence = 'The workflow has ended, so it is final.'
  const value = parseWith({ schema: end.schema, value: end.read(), root, code, consequence })
  const stored = encodeValue(codec, { value, root, valueBytes })
  // It is written some turns later; until then the object may change.
  return stored === undefined ? undefined : copyJson(stored)
}

function rootOf({ type }: EndValue): string {
  return type === 'ok' ? 'result' : 'error'
}

function trap({ errorDetailBytes }: ResultOptions, error: unknown): WorkerResult {
  const thrown = describeThrown(error, errorDetailBytes)
  // What to do about it is said once, by whoever tells the end of this execution.
  const reason = isExecutionError(error) ? describeFailure(error) : thrown.reason
  return fatal({ type: 'workflow_trap', ...thrown, reason })
}

/** The code cannot go on: paused until somebody has looked, or failed, as its author wants. */
export function resultOfFault(options: ResultOptions, fault: FrameFault): WorkerResult {
  if (fault.type === 'input_unreadable') return unreadableInput(options, fault.error)
  const reason = fault.type === 'mismatch' ? describeMismatch(fault.mismatch) : fault.reason
  if (options.definition.onNondeterminism === 'pause') return { type: 'needs_attention', reason }
  return fatal({ type: 'nondeterminism_detected', detail: reason })
}

/** The code does not agree with the log of another version: that version is left alone. */
export function resultOfUpgradeFault(
  options: ResultOptions,
  fault: FrameFault,
  deploymentId: DeploymentId,
): WorkerResult {
  if (fault.type === 'input_unreadable') return unreadableInput(options, fault.error)
  const reason = fault.type === 'mismatch' ? describeParting(fault.mismatch) : fault.reason
  const functionVersion = options.definition.settings.id.version
  return { type: 'upgrade_failed', functionVersion, deploymentId, reason }
}

function unreadableInput({ errorDetailBytes }: ResultOptions, error: unknown): WorkerResult {
  const { reason, detail } = describeThrown(error, errorDetailBytes)
  return fatal({ type: 'input_unreadable', reason, ...optionalDetail(detail) })
}

/** What an abort makes of a run; `stopping` leaves it a moment. */
export function resultOfAbort(reason: AbortReason): WorkerResult | undefined {
  switch (reason) {
    case 'timed_out':
      return { type: 'temporary_timeout' }
    case 'cancelled':
    case 'superseded':
      return { type: 'already_written' }
    case 'released':
      return { type: 'executor_closing' }
    case 'stopping':
      return undefined
    default:
      return unreachable(reason)
  }
}

/** The code seems to kill its process, or to block it. */
export function fruitlessResult(runs: number): WorkerResult {
  const reason =
    `${runs} runs in a row died or timed out without recording anything: its code may kill the ` +
    'process, or block it. Repair it, then unpause'
  return { type: 'needs_attention', reason }
}

/** The log is as long as it may be. */
export function tooLongResult(limit: number): WorkerResult {
  const reason =
    `The log has reached \`limits.eventsPerExecution\` (${limit}). ` +
    'Raise the limit and unpause, or let a successor take over earlier, with `schedule`'
  return { type: 'needs_attention', reason }
}

function fatal(error: FatalError): WorkerResult {
  return { type: 'fatal_error', fatal: error }
}

function optionalDetail(detail: string | undefined): { readonly detail?: string } {
  return detail === undefined ? {} : { detail }
}
