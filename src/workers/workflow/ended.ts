/** The end of a member of a join set, as the code is given it. */

import type { Codec } from '../../base/codec.ts'
import { isSteleError, type SteleError } from '../../base/error.ts'
import type { Outcome, StoredOutcome } from '../../model/outcome.ts'
import type { ListedResponse } from '../../storage/read.ts'
import { executionErrorOf, readOutcome } from '../outcomes.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** A member, and how it ended. */
export interface EndedMember {
  readonly id: string
  /** Name of its function; a delay has none. */
  readonly name: string | undefined
  readonly stored: StoredOutcome
}

/** The end of a member. `value` is a getter of the class, so that logging one reads nothing. */
export class Ended {
  readonly kind: 'child' | 'delay'
  readonly name?: string
  readonly id: string
  readonly outcome: Outcome
  readonly #read: () => unknown

  constructor(codec: Codec, { id, name, stored }: EndedMember) {
    const read = tryRead(codec, stored)
    this.kind = name === undefined ? 'delay' : 'child'
    if (name !== undefined) this.name = name
    this.id = id
    this.outcome = read.outcome
    this.#read = () => {
      if ('error' in read) throw read.error
      if (read.outcome.type === 'ok') return read.outcome.value
      const about = { executionId: this.id, functionName: name ?? 'delay' }
      if (stored.type !== 'ok') throw executionErrorOf(codec, { ...about, outcome: stored })
      return undefined
    }
  }

  /** The end of a child that was cancelled before it began. */
  static cancelled(codec: Codec, id: string, name: string): Ended {
    return new Ended(codec, { id, name, stored: { type: 'execution_failure', kind: 'cancelled' } })
  }

  /** The end of a child that could not begin. */
  static refused(codec: Codec, { id, name }: Named, reason: string): Ended {
    const stored = { type: 'execution_failure', kind: 'uncategorized', reason } as const
    return new Ended(codec, { id, name, stored })
  }

  get value(): unknown {
    return this.#read()
  }
}

/** An outcome that cannot be read is a failure like any other; its value says why. */
function tryRead(
  codec: Codec,
  stored: StoredOutcome,
): { readonly outcome: Outcome; readonly error?: SteleError } {
  try {
    return { outcome: readOutcome(codec, stored) }
  } catch (error) {
    if (!isSteleError(error)) throw error
    const reason = error.message
    return { outcome: { type: 'execution_failure', kind: 'uncategorized', reason }, error }
  }
}

/** The id of the member that a response is about. */
export function idOf({ response }: ListedResponse): string {
  if (response.type === 'child_finished') return response.childExecutionId
  return response.type === 'delay_finished' ? response.delayId : ''
}
