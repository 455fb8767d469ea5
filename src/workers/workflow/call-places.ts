/**
 * Where the calls of one execution stand in its code, put on the events that they become. Only what
 * is new is looked for: what a replay finds in the log has its place already, or has none.
 */

import type { CallEvent, ExecutionEvent, SourcePlace } from '../../model/event.ts'

/** Finds where the code stands that calls now, if it is code of a user. */
export type FindPlace = () => SourcePlace | undefined

/** The places of the calls of one execution. */
export class CallPlaces {
  readonly #find: FindPlace
  /** Of steps that have not ended. */
  readonly #steps = new Map<number, SourcePlace>()
  #last: { readonly seq: number; readonly place: SourcePlace | undefined } | undefined

  constructor(find: FindPlace) {
    this.#find = find
  }

  /** A step begins with the call that is being made. */
  addStep(seq: number): void {
    const place = this.#find()
    if (place !== undefined) this.#steps.set(seq, place)
  }

  /** The event with its place, where it has one. Out of a turn, nobody calls. */
  place(event: ExecutionEvent, isInTurn: boolean): ExecutionEvent {
    if (!('seq' in event)) return event
    const source = this.#ofStep(event) ?? (isInTurn ? this.#ofCall(event) : undefined)
    return source === undefined ? event : { ...event, source }
  }

  #ofStep({ type, seq }: CallEvent<string>): SourcePlace | undefined {
    // A change of the code has the number of the call before it.
    if (type === 'patched') return undefined
    const place = this.#steps.get(seq)
    if (type === 'step_finished') this.#steps.delete(seq)
    return place
  }

  #ofCall({ type, seq }: CallEvent<string>): SourcePlace | undefined {
    if (type === 'patched') return this.#find()
    // One call may be several events.
    if (this.#last?.seq !== seq) this.#last = { seq, place: this.#find() }
    return this.#last.place
  }
}
