/**
 * Responses and the asks that they answer: the k-th response of a join set answers its k-th ask.
 * Gives them one at a time, lowest cursor first, which makes the order of code independent of
 * when it looks.
 */

import type { Cursor } from '../../model/event.ts'
import type { JoinSetId } from '../../model/join-set.ts'
import type { ListedResponse } from '../../storage/read.ts'

/** One wish for a response. */
export interface Ask {
  /** Called with the response. */
  readonly onAnswer: (response: ListedResponse) => void
}

/** A response with the ask that it answers. */
export interface Answer {
  readonly response: ListedResponse
  readonly ask: Ask
}

interface Bucket {
  /** Those that were given away are forgotten. */
  readonly arrived: (ListedResponse | undefined)[]
  /** Responses that have been given away. */
  taken: number
  readonly asks: Ask[]
  /** Whether it stands among the ready ones. */
  isReady: boolean
}

/** The inbox of a run. */
export class Inbox {
  readonly #buckets = new Map<JoinSetId, Bucket>()
  /** Buckets whose next response answers an ask: highest cursor first, so that the last is next. */
  readonly #ready: Bucket[] = []
  /** One-offs that were given up before their response came. */
  readonly #forgotten = new Set<JoinSetId>()
  #openAsks = 0
  #seen: Cursor = 0

  /** Takes in responses, ascending. */
  add(responses: readonly ListedResponse[]): void {
    for (const response of responses) {
      this.#seen = Math.max(this.#seen, response.cursor)
      // Its set was given up before it came.
      if (this.#forgotten.delete(response.response.joinSetId)) continue
      const bucket = this.#bucketOf(response.response.joinSetId)
      bucket.arrived.push(response)
      this.#refresh(bucket)
    }
  }

  /** The highest cursor that has been taken in. */
  seen(): Cursor {
    return this.#seen
  }

  /** Wishes for the next response of a join set. */
  ask(id: JoinSetId, ask: Ask): void {
    const bucket = this.#bucketOf(id)
    bucket.asks.push(ask)
    this.#openAsks += 1
    this.#refresh(bucket)
  }

  /** Gives up a wish. */
  withdraw(id: JoinSetId, ask: Ask): void {
    const bucket = this.#bucketOf(id)
    const index = bucket.asks.indexOf(ask)
    if (index < 0) return
    bucket.asks.splice(index, 1)
    this.#openAsks -= 1
    if (bucket.asks.length === 0) this.#unready(bucket)
  }

  /** Whether a response is there that answers no ask yet. */
  hasUnasked(id: JoinSetId): boolean {
    const bucket = this.#bucketOf(id)
    return bucket.asks.length === 0 && bucket.arrived.length > bucket.taken
  }

  /** Nothing more will be asked of a one-off, whose one response has come, or is to come yet. */
  forget(id: JoinSetId): void {
    const bucket = this.#buckets.get(id)
    if (bucket !== undefined && bucket.asks.length > 0) return
    if (bucket === undefined || bucket.arrived.length === 0) this.#forgotten.add(id)
    this.#buckets.delete(id)
  }

  /** The next response of a join set that answers no ask yet, taken at once. */
  takeUnasked(id: JoinSetId): ListedResponse | undefined {
    const bucket = this.#bucketOf(id)
    if (bucket.asks.length > 0) return undefined
    return takeFrom(bucket)
  }

  /** Wishes that have not been fulfilled. */
  openAsks(): number {
    return this.#openAsks
  }

  /** The cursor of the response that comes next, when one answers an ask. */
  nextCursor(): Cursor | undefined {
    const bucket = this.#ready.at(-1)
    return bucket === undefined ? undefined : cursorOf(bucket)
  }

  /** The next response, with its ask. */
  take(): Answer | undefined {
    const bucket = this.#ready.pop()
    if (bucket === undefined) return undefined
    bucket.isReady = false
    const response = takeFrom(bucket)
    const ask = bucket.asks.shift()
    if (response === undefined || ask === undefined) return undefined
    this.#openAsks -= 1
    this.#refresh(bucket)
    return { response, ask }
  }

  #bucketOf(id: JoinSetId): Bucket {
    const known = this.#buckets.get(id)
    if (known !== undefined) return known
    const bucket: Bucket = { arrived: [], taken: 0, asks: [], isReady: false }
    this.#buckets.set(id, bucket)
    return bucket
  }

  #refresh(bucket: Bucket): void {
    if (bucket.isReady || bucket.asks.length === 0 || bucket.taken >= bucket.arrived.length) return
    bucket.isReady = true
    this.#ready.splice(this.#placeOf(cursorOf(bucket)), 0, bucket)
  }

  #unready(bucket: Bucket): void {
    if (!bucket.isReady) return
    bucket.isReady = false
    this.#ready.splice(this.#ready.indexOf(bucket), 1)
  }

  /** By halving: the first place whose bucket has a lower cursor. */
  #placeOf(cursor: Cursor): number {
    let low = 0
    let high = this.#ready.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const bucket = this.#ready[middle]
      if (bucket !== undefined && cursorOf(bucket) > cursor) low = middle + 1
      else high = middle
    }
    return low
  }
}

function takeFrom(bucket: Bucket): ListedResponse | undefined {
  const response = bucket.arrived[bucket.taken]
  if (response === undefined) return undefined
  bucket.arrived[bucket.taken] = undefined
  bucket.taken += 1
  return response
}

function cursorOf(bucket: Bucket): Cursor {
  return bucket.arrived[bucket.taken]?.cursor ?? Number.POSITIVE_INFINITY
}
