/**
 * A workflow's code in the middle of its work: advances in turns. One thing is delivered, the code
 * runs until everything is quiet. Touches no storage and no clock; the same record gives the same
 * turns.
 */

import { unreachable } from '../../base/assert.ts'
import { decodeValue } from '../../base/codec.ts'
import type { RunWrites } from '../../engine/worker.ts'
import type { Cursor, ExecutionEvent, LoggedEvent } from '../../model/event.ts'
import type { ListedResponse } from '../../storage/read.ts'
import type { LogLineRequest } from '../run-log.ts'
import { createContext } from './calls.ts'
import type { Inbox } from './inbox.ts'
import type { Journal, RecordedStepEnd, TurnBeginning } from './journal.ts'
import { LocalSteps } from './local-steps.ts'
import { OpenSets } from './open-sets.ts'
import { type FrameFault, outsideTurnReason, Recorder, type RecorderOptions } from './recorder.ts'
import { isRetrySet } from './step-events.ts'

/** What a frame stands on. */
export interface FrameOptions extends RecorderOptions {
  /** Runs code as that of this workflow. */
  readonly enter: <Value>(frame: Frame, run: () => Value) => Value
}

/** How the handler ended. */
export type FrameEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }

/** A workflow's code in the middle of its work. */
export class Frame {
  readonly options: FrameOptions
  readonly sets: OpenSets
  readonly steps: LocalSteps
  readonly #recorder: Recorder
  #isStarted = false
  #end: FrameEnd | undefined
  /** Promises of the code that were rejected, with nobody to hear it. */
  readonly #unheard = new Map<Promise<unknown>, unknown>()

  constructor(options: FrameOptions) {
    this.options = options
    this.#recorder = new Recorder(options)
    this.sets = new OpenSets(this.#recorder)
    this.steps = new LocalSteps(this.#recorder)
  }

  // ── what has happened ─────────────────────────────────────────────────────────────────────────

  /** What the log says the code did. */
  get journal(): Journal {
    return this.#recorder.journal
  }

  /** What others have told it. */
  get inbox(): Inbox {
    return this.#recorder.inbox
  }

  /** Takes in parts of log and inbox. */
  add(events: readonly LoggedEvent[], responses: readonly ListedResponse[]): void {
    this.journal.add(events)
    this.inbox.add(responses)
  }

  /** Responses up to here have been taken in. */
  seen(): Cursor {
    return this.inbox.seen()
  }

  /** The latest instant among what the code has been told. */
  now(): number {
    return this.#recorder.now()
  }

  /** Whether the turn that runs, or was last, has happened before. */
  isPast(): boolean {
    return this.#recorder.isPast()
  }

  /** How the handler ended, once it has. */
  end(): FrameEnd | undefined {
    return this.#end
  }

  /** Why it cannot go on, once that is so. */
  fault(): FrameFault | undefined {
    return this.#recorder.fault()
  }

  /** Whether the handler has ended, and nothing of it is open. */
  isClosed(): boolean {
    return this.#end !== undefined && this.sets.isClosed()
  }

  /** A rejection that nobody has heard, once the handler has ended: it counts as its end. */
  firstUnheard(): { readonly error: unknown } | undefined {
    for (const error of this.#unheard.values()) return { error }
    return undefined
  }

  /** A promise of the code was rejected, and nobody listens. */
  addUnheard(promise: Promise<unknown>, error: unknown): void {
    this.#unheard.set(promise, error)
  }

  /** Somebody listens after all. */
  removeUnheard(promise: Promise<unknown>): void {
    this.#unheard.delete(promise)
  }

  // ── turns ─────────────────────────────────────────────────────────────────────────────────────

  /** Whether there is something to deliver. */
  hasNext(): boolean {
    return this.fault() === undefined && this.#next() !== undefined
  }

  /** Delivers one thing. The caller waits until everything is quiet, then ends the turn. */
  beginTurn(): void {
    const next = this.#next()
    if (next === undefined) return
    this.#recorder.beginTurn(this.journal.isPast(next.beginning))
    switch (next.type) {
      case 'start':
        this.#start()
        return
      case 'response':
        this.#deliverResponse()
        return
      case 'step':
        this.#deliverStep(next.end)
        return
      default:
        unreachable(next)
    }
  }

  /** Everything is quiet. */
  endTurn(): void {
    if (this.#end !== undefined && this.fault() === undefined) {
      this.steps.abandon()
      this.#guarded(() => {
        this.sets.closeAll()
      })
    }
    this.#recorder.endTurn()
  }

  /** Nothing comes by itself any more: what is left over shows that code and log part. */
  checkAtRest(): void {
    if (this.fault() !== undefined) return
    const leftover = this.journal.leftover({
      hasEnded: this.#end !== undefined,
      lastSeq: this.#recorder.lastSeq(),
    })
    if (leftover !== undefined) this.#recorder.fail({ type: 'mismatch', mismatch: leftover })
    else if (this.#end === undefined && this.inbox.openAsks() === 0 && !this.steps.hasOpen()) {
      this.#recorder.fail({ type: 'foreign', reason: foreignPromiseReason })
    }
  }

  #next(): Next | undefined {
    if (!this.#isStarted) return { type: 'start', beginning: { type: 'start' } }
    const cursor = this.inbox.nextCursor()
    const end = this.#end === undefined ? this.journal.nextEnd() : undefined
    // Whatever had arrived when a step was recorded was delivered before its end.
    if (end !== undefined && (cursor === undefined || cursor > end.event.afterCursor)) {
      return { type: 'step', end, beginning: { type: 'step', version: end.version } }
    }
    if (cursor === undefined) return undefined
    return { type: 'response', beginning: { type: 'response', cursor } }
  }

  #start(): void {
    this.#isStarted = true
    const { definition, created, codec, enter } = this.options
    const { handler } = definition
    if (handler === undefined) return
    let input: unknown
    try {
      input = decodeValue(codec, created.input, 'input')
    } catch (error) {
      this.#recorder.fail({ type: 'input_unreadable', error })
      return
    }
    const context = createContext({ recorder: this.#recorder, sets: this.sets, steps: this.steps })
    // An async function: what the handler throws at once is a rejection like any other.
    const run = async (): Promise<unknown> => handler(input, context)
    enter(this, run).then(
      (value) => {
        this.#finish({ type: 'returned', value })
      },
      (error: unknown) => {
        this.#finish({ type: 'threw', error })
      },
    )
  }

  #finish(end: FrameEnd): void {
    if (!this.#recorder.isInTurn())
      this.#recorder.fail({ type: 'foreign', reason: outsideTurnReason })
    this.#end ??= end
  }

  #deliverResponse(): void {
    const answer = this.inbox.take()
    if (answer === undefined) return
    const { response, ask } = answer
    const { joinSetId } = response.response
    // Of waits between attempts a replay knows nothing, once the step has ended.
    if (!isRetrySet(joinSetId)) this.#recorder.tell(response.createdAt)
    this.#guarded(() => {
      this.sets.onResponse(response)
      if (this.#end === undefined) ask.onAnswer(response)
      this.sets.afterResponse(joinSetId)
    })
  }

  #deliverStep(end: RecordedStepEnd): void {
    this.journal.passEnd()
    this.#recorder.tell(end.createdAt)
    if (this.steps.deliver(end)) return
    const { seq, name } = end.event
    const expected = `call ${seq} is step ${JSON.stringify(name)}`
    const mismatch = { version: end.version, expected, actual: 'has not made that call' }
    this.#recorder.fail({ type: 'mismatch', mismatch })
  }

  /** A call of ours that meets a mismatch throws; outside the handler nobody needs to hear it. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (cause) {
      if (this.fault() === undefined) throw cause
    }
  }

  // ── what was written ──────────────────────────────────────────────────────────────────────────

  /** Writes an event that replay does not compare. */
  write(event: ExecutionEvent): void {
    this.#recorder.write(event)
  }

  /** How much has been written and not taken. */
  writesPending(): number {
    return this.#recorder.writesPending()
  }

  /** Takes what was written. */
  takeWrites(): RunWrites {
    return this.#recorder.takeWrites()
  }

  /** Who hears of a fault that comes up while nobody looks. */
  tellFault(onFault: (() => void) | undefined): void {
    this.#recorder.tellFault(onFault)
  }

  /** Where lines go from now on: to the run that holds the lock. */
  logTo(onLog: ((line: LogLineRequest) => void) | undefined): void {
    this.#recorder.logTo(onLog)
  }

  /** It ends here, whatever its code would still do: everything that is open is cancelled. */
  cancelOpen(): void {
    this.#recorder.leavePast()
    for (const member of this.sets.openMembers().toReversed()) {
      if (member.kind === 'delay') this.#recorder.cancelDelay(member.id)
      else this.#recorder.cancelChild(member.id)
    }
    for (const request of this.journal.unmatchedRequests()) {
      if (request.kind === 'delay') this.#recorder.cancelDelay(request.delayId)
      else this.#recorder.cancelChild(request.childExecutionId)
    }
  }
}

type Next =
  | { readonly type: 'start'; readonly beginning: TurnBeginning }
  | { readonly type: 'response'; readonly beginning: TurnBeginning }
  | { readonly type: 'step'; readonly end: RecordedStepEnd; readonly beginning: TurnBeginning }

const foreignPromiseReason =
  'The workflow waits for a promise that is not of Stele, so nothing can wake it after a crash. ' +
  'Wrap I/O in `step` or an activity, and wait with `sleep`; then unpause'
