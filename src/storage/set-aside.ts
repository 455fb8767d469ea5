/** Poison: a row that cannot be read or locked is taken out of the way, with the reason. */

import { accept } from '../base/result.ts'
import type { WriteProtocol } from './driver.ts'
import { type Call, call, statement } from './protocol.ts'

const setAsideRow = statement(
  'set-aside',
  'UPDATE executions SET set_aside_reason = $2 WHERE execution_id = $1',
)

/** A row that was taken out of the way. */
export interface SetAside {
  /** The text of the id column; it may be anything. */
  readonly executionId: string
  readonly reason: string
}

/** Sets a row aside: nobody locks it, and `explain` gives the reason. */
export function setAsideCall({ executionId, reason }: SetAside): Call {
  return call(setAsideRow, executionId, reason)
}

/** Sets rows aside. */
export function* setAside(rows: readonly SetAside[]): WriteProtocol<undefined, never> {
  yield rows.map(setAsideCall)
  return accept(undefined)
}
