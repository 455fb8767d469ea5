/**
 * What the log says user code did: its calls in order, its steps by number, and how far runs had
 * got when they last waited. Matches the calls of a replay; knows nothing of who makes them.
 */

import { unreachable } from '../../base/assert.ts'
import type { Codec } from '../../base/codec.ts'
import type { Instant } from '../../base/time.ts'
import {
  blockingOf,
  type ChildRequestEvent,
  type Cursor,
  type DelayRequestEvent,
  type HistoryEvent,
  isHistoryEvent,
  type LoggedEvent,
  type StepFailedEvent,
  type StepFinishedEvent,
  type Version,
} from '../../model/event.ts'
import { type CallHistoryEvent, describeCall, isSameCall, type Mismatch } from './mismatch.ts'
import { isRetrySet } from './step-events.ts'

/** An event in its place. */
interface Recorded<Event> {
  readonly version: Version
  readonly createdAt: Instant
  readonly event: Event
}

/** The end of a local step, in its place. */
export type RecordedStepEnd = Recorded<StepFinishedEvent>

/** What is known of a local step that has not ended. */
export interface RecordedStep {
  /** Version of the first event about it. */
  readonly version: Version
  /** Its name, as the code gave it then. */
  readonly name: string
  readonly failures: StepFailedEvent[]
  /** The delay that its next attempt waits for, when it is long. */
  retryDelay?: DelayRequestEvent
  end?: RecordedStepEnd
}

/**
 * Where the log says that nothing was left to deliver: a wait, or the ends of steps that were
 * written together. What could be delivered by then was, and what that brought about is written.
 */
interface Barrier {
  /** Of the wait, or of the first of the ends. */
  readonly version: Version
  readonly createdAt: Instant
  readonly seenCursor: Cursor
  readonly isEnd: boolean
}

/** The recorded past of an execution. */
export class Journal {
  readonly #codec: Codec
  readonly #calls: (Recorded<CallHistoryEvent> | undefined)[] = []
  #nextCall = 0
  readonly #steps = new Map<number, RecordedStep>()
  readonly #ends: (RecordedStepEnd | undefined)[] = []
  #nextEnd = 0
  readonly #patches = new Set<string>()
  #barrier: Barrier | undefined
  /** A turn has begun that the log does not know: none after it has happened either. */
  #isBeyond = false
  #fruitlessRuns = 0

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** Takes in a part of the log. */
  add(entries: readonly LoggedEvent[]): void {
    for (const entry of entries) this.#addOne(entry)
  }

  #addOne({ version, createdAt, event }: LoggedEvent): void {
    if (event.type === 'temporarily_timed_out') this.#fruitlessRuns += 1
    // Somebody has looked at it, and said that it should go on.
    if (event.type === 'unpaused') this.#fruitlessRuns = 0
    if (!isHistoryEvent(event)) return
    this.#fruitlessRuns = 0
    const wait = blockingOf(event)
    if (isCall(event)) this.#addCall({ version, createdAt, event })
    else if (event.type === 'patched') this.#patches.add(event.patchId)
    else if (event.type === 'step_finished') this.addStepEnd({ version, createdAt, event })
    else if (event.type === 'step_failed') this.#addStepFailure(event, version)
    if (wait !== undefined) {
      this.#barrier = { version, createdAt, seenCursor: wait.seenCursor, isEnd: false }
    }
  }

  #addCall(entry: Recorded<CallHistoryEvent>): void {
    const { event } = entry
    if (!('joinSetId' in event) || !isRetrySet(event.joinSetId)) {
      this.#calls.push(entry)
      this.#barrier = undefined
    } else if (event.type === 'join_set_request' && event.kind === 'delay') {
      const step = this.#steps.get(event.seq)
      if (step !== undefined) step.retryDelay = event
    }
  }

  #addStepFailure(event: StepFailedEvent, version: Version): void {
    const step = this.#stepOf(event, version)
    step.failures.push(event)
    delete step.retryDelay
  }

  #stepOf({ seq, name }: StepFailedEvent | StepFinishedEvent, version: Version): RecordedStep {
    const known = this.#steps.get(seq)
    if (known !== undefined) return known
    const step: RecordedStep = { version, name, failures: [] }
    this.#steps.set(seq, step)
    return step
  }

  /** A step has ended: recorded now, or found in the log. */
  addStepEnd(end: RecordedStepEnd): void {
    const { version, createdAt } = end
    const { afterCursor: seenCursor } = end.event
    this.#stepOf(end.event, version).end = end
    this.#ends.push(end)
    const last = this.#barrier
    const isTogether =
      last?.isEnd === true && last.createdAt === createdAt && last.seenCursor === seenCursor
    if (!isTogether) this.#barrier = { version, createdAt, seenCursor, isEnd: true }
  }

  /**
   * The recorded form of a call, or `undefined` when the log says nothing any more: then it is
   * new. A mismatch when the log says something else.
   */
  take<Event extends CallHistoryEvent>(
    event: Event,
  ): { readonly event: Event } | { readonly mismatch: Mismatch } | undefined {
    const recorded = this.#calls[this.#nextCall]
    if (recorded === undefined) return undefined
    if (!isSameCall(this.#codec, recorded.event, event)) {
      const { version } = recorded
      const expected = describeCall(recorded.event)
      return { mismatch: { version, expected, actual: describeCall(event) } }
    }
    // What was matched is not asked for again.
    this.#calls[this.#nextCall] = undefined
    this.#nextCall += 1
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same call: one type
    return { event: recorded.event as Event }
  }

  /** What the log says next, if that is a call of this number. */
  callAt(seq: number): { readonly version: Version; readonly text: string } | undefined {
    const call = this.#calls[this.#nextCall]
    if (call?.event.seq !== seq) return undefined
    return { version: call.version, text: describeCall(call.event) }
  }

  /** What is recorded of a step: its failures, and its end. */
  findStep(seq: number): RecordedStep | undefined {
    return this.#steps.get(seq)
  }

  /** The earliest step end that has not been delivered. */
  nextEnd(): RecordedStepEnd | undefined {
    return this.#ends[this.#nextEnd]
  }

  /** That end was delivered. */
  passEnd(): void {
    const end = this.#ends[this.#nextEnd]
    if (end !== undefined) this.#steps.delete(end.event.seq)
    // Its outcome has been given, and is not asked for again.
    this.#ends[this.#nextEnd] = undefined
    this.#nextEnd += 1
  }

  /** Whether the log says that the code took the new side of a change. */
  hasPatch(id: string): boolean {
    return this.#patches.has(id)
  }

  /**
   * Whether the turn that begins with this has happened before. Asked once for each turn, in
   * order. Where the log leaves it open, it has not: what it says is said again.
   */
  isPast(begins: TurnBeginning): boolean {
    if (this.#nextCall < this.#calls.length) return true
    this.#isBeyond ||= !this.#isBefore(begins, this.#barrier)
    return !this.#isBeyond
  }

  #isBefore(begins: TurnBeginning, barrier: Barrier | undefined): boolean {
    if (barrier === undefined) return false
    switch (begins.type) {
      case 'start':
        return true
      case 'response':
        return begins.cursor <= barrier.seenCursor
      case 'step':
        return begins.version < barrier.version
      default:
        return unreachable(begins)
    }
  }

  /**
   * What the code should have done and has not, when it does nothing more by itself. Ends of steps
   * that a handler has left behind reach nobody.
   */
  leftover({ hasEnded, lastSeq }: Rest): Mismatch | undefined {
    const call = this.#calls[this.#nextCall]
    const open = this.#ends.slice(this.#nextEnd)
    const end = open.find((one) => one !== undefined && (!hasEnded || one.event.seq > lastSeq))
    const actual = 'does nothing more'
    if (call !== undefined && (end === undefined || call.version < end.version)) {
      return { version: call.version, expected: describeCall(call.event), actual }
    }
    if (end === undefined) return undefined
    const { seq, name } = end.event
    return { version: end.version, expected: `call ${seq} is step ${show(name)}`, actual }
  }

  /** Children and delays that the log asks for, and the code has not. */
  unmatchedRequests(): readonly (ChildRequestEvent | DelayRequestEvent)[] {
    return this.#calls
      .slice(this.#nextCall)
      .map((call) => call?.event)
      .filter((event) => event?.type === 'join_set_request')
  }

  /** Runs in a row, up to the end of the log, that timed out or died without recording anything. */
  fruitlessRuns(): number {
    return this.#fruitlessRuns
  }
}

/** How far the code has come when it does nothing more by itself. */
export interface Rest {
  readonly hasEnded: boolean
  /** The number of its last call. */
  readonly lastSeq: number
}

/** What a turn of the code begins with. */
export type TurnBeginning =
  | { readonly type: 'start' }
  | { readonly type: 'response'; readonly cursor: Cursor }
  | { readonly type: 'step'; readonly version: Version }

const callTypes: ReadonlySet<string> = new Set<CallHistoryEvent['type']>([
  'join_set_create',
  'join_set_request',
  'join_next',
  'join_next_try',
  'join_next_too_many',
  'join_next_withdraw',
  'schedule',
])

function isCall(event: HistoryEvent): event is CallHistoryEvent {
  return callTypes.has(event.type)
}

function show(text: string): string {
  return JSON.stringify(text)
}
