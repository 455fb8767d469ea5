/** The face of a logger, as pino has it, and a wrapper that no logger's fault gets through. */

/** One line: fields first, then the sentence. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Where the engine writes what it notices. pino fits as it is. */
export interface Logger {
  /** What helps whoever looks for a fault. */
  readonly debug: LogLine
  /** What is worth knowing. */
  readonly info: LogLine
  /** What will go on, but should not have happened. */
  readonly warn: LogLine
  /** What somebody has to look at. */
  readonly error: LogLine
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** The same logger, except that what it throws is dropped: a log line never stops the engine. */
export function guardLogger(logger: Logger): Logger {
  return {
    debug: (fields, message) => {
      guard(() => {
        logger.debug(fields, message)
      })
    },
    info: (fields, message) => {
      guard(() => {
        logger.info(fields, message)
      })
    },
    warn: (fields, message) => {
      guard(() => {
        logger.warn(fields, message)
      })
    },
    error: (fields, message) => {
      guard(() => {
        logger.error(fields, message)
      })
    },
  }
}

/** Runs a user's callback; whatever it throws ends here. */
export function guard(callback: () => void): void {
  try {
    callback()
  } catch {
    // Nowhere left to report to: the reporter itself failed.
  }
}
