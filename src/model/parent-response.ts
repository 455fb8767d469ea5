/** What a finished execution tells its parent. The only place that decides whether it does. */

import type { ExecutionId } from './ids.ts'
import type { ChildFinishedResponse } from './response.ts'
import type { ExecutionState } from './state.ts'

/** A response with its addressee. */
export interface ParentResponse {
  readonly executionId: ExecutionId
  readonly response: ChildFinishedResponse
}

/** The response for the parent of a derived execution that has just finished; else nothing. */
export function parentResponse(state: ExecutionState): ParentResponse | undefined {
  if (state.status !== 'finished' || state.parent === undefined) return undefined
  return {
    executionId: state.parent.executionId,
    response: {
      type: 'child_finished',
      joinSetId: state.parent.joinSetId,
      childExecutionId: state.executionId,
      finishedVersion: state.version,
    },
  }
}
