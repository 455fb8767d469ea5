/**
 * Worker result → event. One total function, used by executors and by the timers watcher; what a
 * finished child tells its parent follows in storage from the event itself.
 */

import { unreachable } from '../base/assert.ts'
import type { Instant } from '../base/time.ts'
import type {
  FinishedEvent,
  HttpTrace,
  PausedEvent,
  TemporarilyFailedEvent,
  TemporarilyTimedOutEvent,
  UnlockedEvent,
  UpgradeFinishedEvent,
} from '../model/event.ts'
import type { FunctionKind } from '../model/function-id.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { StoredFailure, StoredOutcome } from '../model/outcome.ts'
import { backoffExpiry, decideRetry, type RetryPolicy } from '../model/retry.ts'
import type { LockedState } from '../model/state.ts'
import type { FatalError, WorkerResult } from './worker.ts'

/** What a result is judged by. */
export interface SettleFacts {
  readonly executionId: ExecutionId
  readonly kind: FunctionKind
  /** Failures and timeouts counted before this run. */
  readonly failures: number
  readonly retry: RetryPolicy
  /** When the run ended; base of the backoff and time of the event. */
  readonly endedAt: Instant
}

/** Every event that ends a run. */
export type EndEvent =
  | UnlockedEvent
  | TemporarilyFailedEvent
  | TemporarilyTimedOutEvent
  | FinishedEvent
  | PausedEvent

/** What a result becomes; the event that ends the run is last. Nothing when the log has it. */
export function settle(
  result: WorkerResult,
  facts: SettleFacts,
): readonly (EndEvent | UpgradeFinishedEvent)[] {
  switch (result.type) {
    case 'run_finished':
      return [settleFinished(result, facts)]
    case 'already_written':
      return []
    case 'executor_closing':
      return [unlocked(facts, 'executor closing')]
    case 'temporary_timeout':
      return [settleTimeout(result, facts)]
    case 'activity_trap':
      return [settleTrap(result, facts)]
    case 'limit_reached': {
      const dueAt = backoffExpiry({ ...facts, failedAt: facts.endedAt })
      return [{ type: 'unlocked', dueAt, reason: result.reason }]
    }
    case 'needs_attention':
      return [unlocked(facts, 'paused'), { type: 'paused', reason: result.reason }]
    case 'upgrade_failed': {
      const { functionVersion, deploymentId, reason } = result
      const tried = { type: 'upgrade_finished', result: 'failed' } as const
      return [
        { ...tried, functionVersion, deploymentId, reason },
        unlocked(facts, `not upgraded: ${reason}`),
      ]
    }
    case 'fatal_error':
      return [finished(failureOf(result.fatal), result.httpTraces)]
    default:
      return unreachable(result)
  }
}

function unlocked({ endedAt }: SettleFacts, reason: string): UnlockedEvent {
  return { type: 'unlocked', dueAt: endedAt, reason }
}

/**
 * What becomes of an expired lock. A run that retries for ever and has appended something since
 * its last lock made progress: it is due again at once, uncounted. Anything else timed out.
 */
export function settleExpired(state: LockedState, expiredAt: Instant): EndEvent {
  if (state.retry.maxRetries === null && state.lastLockVersion < state.version) {
    return { type: 'unlocked', dueAt: expiredAt, reason: 'made progress' }
  }
  return settleTimeout({ type: 'temporary_timeout' }, factsOf(state, expiredAt))
}

/** What a locked state says about a run that ends now. */
export function factsOf(state: LockedState, endedAt: Instant): SettleFacts {
  const { executionId, failures, retry } = state
  return { executionId, kind: state.function.kind, failures, retry, endedAt }
}

type ResultOf<Type extends WorkerResult['type']> = Extract<WorkerResult, { readonly type: Type }>

/** Only an activity's "no" is a wish for another try; everybody else's is the answer. */
function settleFinished(result: ResultOf<'run_finished'>, facts: SettleFacts): EndEvent {
  const { outcome, httpTraces } = result
  const mayRetry = outcome.type === 'err' && facts.kind === 'activity' && result.permanent !== true
  const backoffExpiresAt = mayRetry ? retryAt(facts) : undefined
  if (outcome.type === 'ok' || backoffExpiresAt === undefined) return finished(outcome, httpTraces)
  return {
    type: 'temporarily_failed',
    backoffExpiresAt,
    reason: 'activity returned error',
    ...('value' in outcome ? { value: outcome.value } : {}),
    ...tracesOf(httpTraces),
  }
}

function settleTimeout(result: ResultOf<'temporary_timeout'>, facts: SettleFacts): EndEvent {
  const backoffExpiresAt = retryAt(facts)
  if (backoffExpiresAt === undefined) {
    return finished({ type: 'execution_failure', kind: 'timed_out' }, result.httpTraces)
  }
  return { type: 'temporarily_timed_out', backoffExpiresAt, ...tracesOf(result.httpTraces) }
}

function settleTrap(result: ResultOf<'activity_trap'>, facts: SettleFacts): EndEvent {
  const reason = `activity trap: ${result.reason}`
  const { detail, error, httpTraces } = result
  const what = {
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(error === undefined ? {} : { error }),
  }
  const backoffExpiresAt = result.permanent === true ? undefined : retryAt(facts)
  if (backoffExpiresAt === undefined) {
    return finished({ type: 'execution_failure', kind: 'uncategorized', ...what }, httpTraces)
  }
  return { type: 'temporarily_failed', backoffExpiresAt, ...what, ...tracesOf(httpTraces) }
}

function retryAt(facts: SettleFacts): Instant | undefined {
  return decideRetry({ ...facts, failedAt: facts.endedAt })
}

function failureOf(fatal: FatalError): StoredFailure {
  const failure = { type: 'execution_failure', kind: 'uncategorized' } as const
  switch (fatal.type) {
    case 'nondeterminism_detected':
      return { ...failure, kind: 'nondeterminism_detected', detail: fatal.detail }
    case 'constraint_violation':
      return { ...failure, reason: `constraint violation: ${fatal.reason}` }
    case 'workflow_trap':
      return {
        ...failure,
        reason: `workflow trap: ${fatal.reason}`,
        ...detailOf(fatal),
        ...(fatal.error === undefined ? {} : { error: fatal.error }),
      }
    case 'input_unreadable':
    case 'result_not_storable':
      return { ...failure, reason: fatal.reason, ...detailOf(fatal) }
    default:
      return unreachable(fatal)
  }
}

function detailOf({ detail }: { readonly detail?: string }): { readonly detail?: string } {
  return detail === undefined ? {} : { detail }
}

function tracesOf(httpTraces: readonly HttpTrace[] | undefined): {
  readonly httpTraces?: readonly HttpTrace[]
} {
  return httpTraces === undefined || httpTraces.length === 0 ? {} : { httpTraces }
}

function finished(
  outcome: StoredOutcome,
  httpTraces: readonly HttpTrace[] | undefined,
): FinishedEvent {
  return { type: 'finished', outcome, ...tracesOf(httpTraces) }
}
