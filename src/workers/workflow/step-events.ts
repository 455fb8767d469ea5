/** The names under which long waits between attempts of a step stand in the log. */

import { assert } from '../../base/assert.ts'
import { type JoinSetId, joinSetId, readJoinSetId } from '../../model/join-set.ts'

/** Names of one-off join sets begin with a number, so this one is never taken by a call. */
const retryPrefix = 'retry-'

/** The join set of the delay before an attempt of a step. */
export function retrySet(seq: number, attempt: number): JoinSetId {
  const id = joinSetId('one_off', `${retryPrefix}${seq}-${attempt}`)
  assert(id.ok, 'numbers fit into the name of a join set')
  return id.value
}

/** Whether a join set is that of a delay between attempts. */
export function isRetrySet(id: JoinSetId): boolean {
  const { kind, name } = readJoinSetId(id)
  return kind === 'one_off' && name.startsWith(retryPrefix)
}
