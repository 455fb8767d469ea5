/** With which code the process ends, for whatever went wrong. */

import type { ErrorCode } from '../base/error.ts'

/** The exit codes. */
export const exitCodes = {
  /** Done; for `doctor`: healthy. */
  ok: 0,
  /** Refused, or failed; for `doctor`: something is wrong. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** No such execution, function, channel or machine. */
  notFound: 3,
  /** The database is not there, not Stele's, or cannot be used. */
  database: 4,
} as const

/** One of them. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const byCode: Partial<Readonly<Record<ErrorCode, ExitCode>>> = {
  execution_not_found: exitCodes.notFound,
  delay_not_found: exitCodes.notFound,
  unknown_function: exitCodes.notFound,
  unknown_channel: exitCodes.notFound,
  invalid_execution_id: exitCodes.usage,
  invalid_name: exitCodes.usage,
  invalid_option: exitCodes.usage,
  invalid_input: exitCodes.usage,
  storage_unavailable: exitCodes.database,
  storage_full: exitCodes.database,
  storage_read_only: exitCodes.database,
  storage_corrupt: exitCodes.database,
  schema_too_new: exitCodes.database,
}

/** The exit code for an error of ours. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  return byCode[code] ?? exitCodes.failed
}
