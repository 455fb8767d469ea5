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

/** Makes the due time of a pending execution unreadable; it sorts before all others. */
export async function corruptDueTime(opened: OpenedStorage, id: string): Promise<void> {
  const sql = `UPDATE executions SET scheduled_at_ms = -${unsafeInteger} WHERE execution_id = $1`
  await executeSql(opened, sql, id)
}

/** Makes the state row older than its log. */
export async function rewindState(opened: OpenedStorage, id: string): Promise<void> {
  const sql = 'UPDATE executions SET version = version - 1 WHERE execution_id = $1'
  await executeSql(opened, sql, id)
}

/** Makes a rewound row as old as its log again. */
export async function forwardState(opened: OpenedStorage, id: string): Promise<void> {
  const sql = 'UPDATE executions SET version = version + 1 WHERE execution_id = $1'
  await executeSql(opened, sql, id)
}

/** Makes the row readable again, for the invariants that follow a test. */
export async function repairState(opened: OpenedStorage, id: string): Promise<void> {
  const sql = 'UPDATE executions SET failures = 0 WHERE execution_id = $1'
  await executeSql(opened, sql, id)
}
