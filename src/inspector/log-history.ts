/** A log as the API shows it → the history that it was made of, as far as a fold needs it. */

import type { EventView, LogView, ResponseView } from '../client/view.ts'
import type { LoggedEvent } from '../model/event.ts'
import type { ExecutionHistory } from '../model/fold.ts'
import { requireExecutionId } from '../model/ids.ts'
import type { Outcome, StoredFailure, StoredOutcome } from '../model/outcome.ts'
import type { LoggedResponse } from '../model/response.ts'

/** The history of a log. Throws `invalid_execution_id`. */
export function historyOf({ id, events, responses }: LogView): ExecutionHistory {
  const counts = new Map<string, number>()
  return {
    executionId: requireExecutionId(id),
    events: events.map(loggedEvent),
    responses: responses.map((view) => {
      // The k-th response of a join set is the k-th that arrived.
      const ordinal = (counts.get(view.joinSetId) ?? 0) + 1
      counts.set(view.joinSetId, ordinal)
      return loggedResponse(view, ordinal)
    }),
  }
}

function loggedEvent({ version, createdAt, ...event }: EventView): LoggedEvent {
  if (event.type === 'finished' || event.type === 'step_finished') {
    return { version, createdAt, event: { ...event, outcome: storedOutcome(event.outcome) } }
  }
  return { version, createdAt, event }
}

/** Values of users decide nothing in a fold. */
function storedOutcome(outcome: Outcome | StoredFailure): StoredOutcome {
  return outcome.type === 'execution_failure' ? outcome : { type: outcome.type }
}

function loggedResponse(
  { cursor, createdAt, afterVersion, outcome: _outcome, ...response }: ResponseView,
  ordinal: number,
): LoggedResponse {
  return { cursor, createdAt, afterVersion, ordinal, response }
}
