/** The past of an execution and of what is below it, as frames for the bridge. */

import type { ClientContext } from '../../client/client-context.ts'
import { readTree } from '../../client/tree.ts'
import { requireExecutionId } from '../../model/ids.ts'
import type { Frame } from '../frame.ts'
import { framesOf } from '../history.ts'
import { readBoundedLog } from './api-execution.ts'

/** Executions whose past is shown together. */
const pastMax = 100

/** Reads a past. Rejects with `invalid_execution_id` or `execution_not_found`. */
export async function readPast(context: ClientContext, id: string): Promise<readonly Frame[]> {
  const tree = await readTree(context, {
    executionId: requireExecutionId(id),
    limit: pastMax,
    readLog: (one) => readBoundedLog(context, one),
  })
  return framesOf(tree)
}
