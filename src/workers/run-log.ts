/** What functions log: shown by the engine's logger, and kept with the run. */

import { type Codec, encodeValue } from '../base/codec.ts'
import { isSteleError } from '../base/error.ts'
import { copyJson, isJsonObject, type JsonObject } from '../base/json.ts'
import { guard, type Logger } from '../base/logger.ts'
import type { Run } from '../engine/worker.ts'
import type { LogLevel } from '../storage/run-log.ts'

/** Logs a line, kept with the run and shown by the engine's logger. */
export type LogFunction = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/** The log of a run. */
export interface RunLog {
  /** What helps whoever looks for a fault. */
  readonly debug: LogFunction
  /** What is worth knowing. */
  readonly info: LogFunction
  /** What will go on, but should not have happened. */
  readonly warn: LogFunction
  /** What somebody has to look at. */
  readonly error: LogFunction
}

/** Characters of a logged message that are kept. */
export const logMessageMax = 10_000
/** Bytes of the fields of a logged line that are kept; larger ones are replaced by a note. */
export const logFieldsBytesMax = 64 * 1024

/** A line that a function logs. */
export interface LogLineRequest {
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

/** The log of a function, over whatever takes its lines. */
export function createRunLog(write: (line: LogLineRequest) => void): RunLog {
  const line =
    (level: LogLevel): LogFunction =>
    (message, fields) => {
      write({ level, message, fields })
    }
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}

/** Shows a line and keeps it. Nothing that the logger or the fields do escapes. */
export function writeLine(
  run: Pick<Run, 'executionId' | 'attempt' | 'log'>,
  { codec, logger }: { readonly codec: Codec; readonly logger: Logger },
  { level, message, fields = {} }: LogLineRequest,
): void {
  const { executionId, attempt } = run
  guard(() => {
    logger[level]({ executionId, attempt, ...fields }, message)
  })
  guard(() => {
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- may be anything
    run.log(level, cut(String(message)), toStored(codec, fields))
  })
}

/** What cannot be stored costs a line its fields, and never the line. */
function toStored(codec: Codec, fields: Readonly<Record<string, unknown>>): JsonObject | undefined {
  try {
    if (Object.keys(fields).length === 0) return undefined
    const request = { value: fields, root: 'fields', valueBytes: logFieldsBytesMax }
    const stored = encodeValue(codec, request)
    // A copy: the line is written later.
    const copy = stored === undefined ? undefined : copyJson(stored)
    return isJsonObject(copy) ? copy : undefined
  } catch (cause) {
    return { notStored: isSteleError(cause) ? cause.message : 'the fields cannot be read' }
  }
}

function cut(message: string): string {
  return message.length > logMessageMax ? `${message.slice(0, logMessageMax)}…` : message
}
