/** The execution that a command is about; for an id that nobody knows, the ids that are near. */

import { isSteleError, SteleError } from '../base/error.ts'
import type { Engine } from '../client/create-engine.ts'
import type { WorkflowHandle } from '../client/handle.ts'
import { nearestNames, suggestion } from './nearest.ts'
import type { Database } from './open-database.ts'

/** Executions, the newest, among which a similar id is looked for. */
const searchedMax = 5_000
/** Letters of an id that similar ids begin with: finds old ones by their beginning. */
const prefixLength = 4

/** A handle of any execution. */
export type AnyHandle = WorkflowHandle<unknown, unknown, Record<string, unknown>>

/** Finds an execution. Rejects with `execution_not_found`, and names those that are near. */
export async function findExecution({ engine, file }: Database, id: string): Promise<AnyHandle> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every handle is one of these
    return (await engine.get(id)) as unknown as AnyHandle
  } catch (cause) {
    const isWrong = isSteleError(cause, 'invalid_execution_id')
    if (!isWrong && !isSteleError(cause, 'execution_not_found')) throw cause
    const near = nearestNames(id, await idsNear(engine, id))
    if (isWrong && near.length === 0) throw cause
    throw new SteleError(
      'execution_not_found',
      `There is no execution ${JSON.stringify(id)} in ${file}.${suggestion(near)}` +
        (near.length === 0 ? ' `stele ls` lists what there is, with --children the children.' : ''),
      { fields: { executionId: id, near }, cause },
    )
  }
}

async function idsNear(engine: Engine, id: string): Promise<readonly string[]> {
  const limit = { limit: searchedMax }
  const newest = await engine.list({ children: id.includes('.') }, limit)
  const idPrefix = id.slice(0, prefixLength)
  const similar = await engine.list({ idPrefix, children: true }, limit)
  return [...newest.items, ...similar.items].map((item) => item.id)
}
