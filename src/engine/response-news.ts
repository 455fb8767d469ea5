/** Which notices of a held execution speak of its inbox, and not of its log. */

import type { Version } from '../model/event.ts'
import type { ExecutionState } from '../model/state.ts'

/** Tells responses from events, by the versions that notices tell. */
export interface ResponseNews {
  /** A notice; without a state, one has to look. */
  readonly hear: (state: ExecutionState | undefined) => void
  /** Called back whenever a response may have arrived. One listener, the last. */
  readonly listen: (listener: () => void) => void
}

/** News of an execution whose log was last heard of at this version. */
export function createResponseNews(version: Version): ResponseNews {
  let heard = version
  let tell = (): void => undefined
  return {
    hear: (state) => {
      // An event comes with a version of its own; told again, the version says that something
      // else has changed.
      if (state === undefined || state.version <= heard) tell()
      else heard = state.version
    },
    listen: (listener) => {
      tell = listener
    },
  }
}
