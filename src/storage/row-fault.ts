/** Tells what is wrong with one row from what is wrong with the whole database. */

import { isSteleError, type SteleError } from '../base/error.ts'

/**
 * Whether the fault is that of the rows which the operation touched, so that others are well: a
 * column that says nothing, a log that cannot be, a page that only this operation reads. A database
 * that cannot be read at all is everybody's fault and nobody's: it may be well again in a moment.
 */
export function isRowFault(error: unknown): error is SteleError {
  if (!isSteleError(error, 'storage_corrupt')) return false
  const { file, isolated } = error.fields
  return file === undefined || isolated === true
}
