/**
 * Breaking rows on purpose. The only place in the tests that knows names of columns for it: what
 * is written here satisfies every CHECK, and yet no state reads like this.
 */

import { executeSql, type OpenedStorage } from './opened-storage.ts'

/** More than a JavaScript number can hold exactly. */
const unsafeInteger = '9223372036854775807'

/** Makes the state row of an execution unreadable. */
export async function corruptState(opened: OpenedStorage, id: string): Promise<void> {
  const sql = `UPDATE executions SET failures = ${unsafeInteger} WHERE execution_id = $1`
  await executeSql(opened, sql, id)
}

/** Makes the row readable again, for the invariants that follow a test. */
export async function repairState(opened: OpenedStorage, id: string): Promise<void> {
  const sql = 'UPDATE executions SET failures = 0 WHERE execution_id = $1'
  await executeSql(opened, sql, id)
}
