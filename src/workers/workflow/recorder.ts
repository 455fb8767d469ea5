/**
 * What the code of a workflow does, call by call: numbered, matched with the record, gathered as
 * writes. Knows nothing of join sets and steps, nor of who reads and writes.
 */

import type { Codec } from '../../base/codec.ts'
import { SteleError } from '../../base/error.ts'
import type { Instant } from '../../base/time.ts'
import type { RunWrites } from '../../engine/worker.ts'
import type { CreatedEvent, ExecutionEvent } from '../../model/event.ts'
import type { DelayId, DeploymentId, ExecutionId } from '../../model/ids.ts'
import type { CreateRequest } from '../../storage/create.ts'
import type { FunctionDefinition, WorkflowDefinition } from '../definition.ts'
import type { LogLineRequest } from '../run-log.ts'
import { CallPlaces, type FindPlace } from './call-places.ts'
import { Inbox } from './inbox.ts'
import { Journal } from './journal.ts'
import { type CallHistoryEvent, describeCall, type Mismatch, mismatchError } from './mismatch.ts'

/** The execution whose code runs, and what its calls stand on. */
export interface RecorderOptions {
  readonly executionId: ExecutionId
  readonly created: CreatedEvent
  readonly createdAt: Instant
  readonly definition: WorkflowDefinition
  readonly codec: Codec
  readonly deploymentId: DeploymentId
  readonly valueBytes: number
  readonly errorDetailBytes: number
  /** Functions that the engine knows, by name: for schemas of those only referred to. */
  readonly findFunction: (name: string) => FunctionDefinition | undefined
  /** The real time, for what becomes due later; recorded, so that replays do not ask. */
  readonly wallNow: () => Instant
  /** Where the code stands that calls now, if that is recorded. */
  readonly findPlace?: FindPlace | undefined
}

/** Why code cannot go on. */
export type FrameFault =
  | { readonly type: 'mismatch'; readonly mismatch: Mismatch }
  /** The code waits for something that is not ours, or calls us when it should not run. */
  | { readonly type: 'foreign'; readonly reason: string }
  | { readonly type: 'input_unreadable'; readonly error: unknown }

/** Where a call stands: its number. */
export type Seq = number

/** Records what the code does. */
export class Recorder {
  readonly options: RecorderOptions
  readonly journal: Journal
  readonly inbox = new Inbox()
  #seq: Seq = 0
  #now: Instant
  #isInTurn = false
  #isPast = false
  #fault: FrameFault | undefined
  #onFault: (() => void) | undefined
  #onLog: ((line: LogLineRequest) => void) | undefined
  readonly #patches = new Map<string, boolean>()
  readonly #places: CallPlaces | undefined
  #events: ExecutionEvent[] = []
  #creations: CreateRequest[] = []
  #cancelledChildren: ExecutionId[] = []
  #cancelledDelays: DelayId[] = []

  constructor(options: RecorderOptions) {
    this.options = options
    this.journal = new Journal(options.codec)
    const { findPlace } = options
    this.#places = findPlace === undefined ? undefined : new CallPlaces(findPlace)
    this.#now = Math.max(options.createdAt, options.created.scheduledAt)
  }

  /** The latest instant among what the code has been told. */
  now(): Instant {
    return this.#now
  }

  /** The code is told of something that happened then. */
  tell(instant: Instant): void {
    this.#now = Math.max(this.#now, instant)
  }

  /** The code runs from now on. */
  beginTurn(isPast: boolean): void {
    this.#isPast = isPast
    this.#isInTurn = true
  }

  /** The code rests. */
  endTurn(): void {
    this.#isInTurn = false
  }

  /** Whether this turn has happened before: what it says and cancels was said and done then. */
  isPast(): boolean {
    return this.#isPast
  }

  /** Whether the code runs. */
  isInTurn(): boolean {
    return this.#isInTurn
  }

  /** Why it cannot go on, once that is so. */
  fault(): FrameFault | undefined {
    return this.#fault
  }

  /** It cannot go on; the first reason counts. */
  fail(fault: FrameFault): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#onFault?.()
  }

  /** Who hears of a fault that comes up while nobody looks. */
  tellFault(onFault: (() => void) | undefined): void {
    this.#onFault = onFault
  }

  /** The same, as the error that the code is given. */
  failMismatch(mismatch: Mismatch): SteleError {
    this.fail({ type: 'mismatch', mismatch })
    return mismatchError(this.options.executionId, mismatch)
  }

  /** The number of a call that begins now. Throws when none may. */
  nextSeq(what: string): Seq {
    this.requireTurn(what)
    this.#seq += 1
    return this.#seq
  }

  /** Only in a turn does the code run by our rules. */
  requireTurn(what: string): void {
    if (this.#fault === undefined && this.#isInTurn) return
    const reason = `\`${what}\` was called ${outsideTurnReason}`
    this.fail({ type: 'foreign', reason })
    throw new SteleError('nondeterminism', `${this.options.executionId}: ${reason}`, {
      fields: { executionId: this.options.executionId },
    })
  }

  /** The number of the call that was made last. */
  lastSeq(): Seq {
    return this.#seq
  }

  /**
   * Records a call: gives the recorded event when the log has it, else the event given, or what
   * `onNew` makes of it, which is written then. Throws when the log has another one.
   */
  emit<Event extends CallHistoryEvent>(event: Event, onNew?: (event: Event) => Event): Event {
    const step = this.journal.findStep(event.seq)
    if (step !== undefined) {
      const expected = `call ${event.seq} is step ${JSON.stringify(step.name)}`
      throw this.failMismatch({ version: step.version, expected, actual: describeCall(event) })
    }
    const taken = this.journal.take(event)
    if (taken === undefined) {
      const written = onNew?.(event) ?? event
      this.write(written)
      return written
    }
    if ('mismatch' in taken) throw this.failMismatch(taken.mismatch)
    return taken.event
  }

  /**
   * Whether the code takes the new side of a change: as recorded, else the old side in what has
   * happened already, else the new one, which is recorded. Decided once for an execution.
   */
  patched(id: string): boolean {
    this.requireTurn('patched')
    const decided = this.#patches.get(id)
    if (decided !== undefined) return decided
    const isRecorded = this.journal.hasPatch(id)
    const isNew = isRecorded || !this.#isPast
    this.#patches.set(id, isNew)
    if (isNew && !isRecorded) this.write({ type: 'patched', seq: this.#seq, patchId: id })
    return isNew
  }

  /** A step begins with this call: its end is written when nobody calls. */
  placeStep(seq: Seq): void {
    if (this.journal.findStep(seq)?.end === undefined) this.#places?.addStep(seq)
  }

  /** Writes an event that replay does not compare. */
  write(event: ExecutionEvent): void {
    this.#events.push(this.#places?.place(event, this.#isInTurn) ?? event)
  }

  /** Brings an execution into being, with the event that asks for it. */
  create(request: CreateRequest): void {
    this.#creations.push(request)
  }

  /** Cancels a child, unless that was done when this turn happened first. */
  cancelChild(id: ExecutionId): void {
    if (!this.#isPast) this.#cancelledChildren.push(id)
  }

  /** Cancels a delay, unless that was done when this turn happened first. */
  cancelDelay(id: DelayId): void {
    if (!this.#isPast) this.#cancelledDelays.push(id)
  }

  /** Logs, unless the line was logged when this turn happened first. */
  log(line: LogLineRequest): void {
    if (!this.#isPast) this.#onLog?.(line)
  }

  /** Where lines go from now on: to the run that holds the lock. */
  logTo(onLog: ((line: LogLineRequest) => void) | undefined): void {
    this.#onLog = onLog
  }

  /** What happened before is over: from here on everything is done, not remembered. */
  leavePast(): void {
    this.#isPast = false
  }

  /** How much has been written and not taken. */
  writesPending(): number {
    const cancelled = this.#cancelledChildren.length + this.#cancelledDelays.length
    return this.#events.length + cancelled
  }

  /** Takes what was written. */
  takeWrites(): RunWrites {
    const writes = {
      events: this.#events,
      creations: this.#creations,
      cancelledChildren: this.#cancelledChildren,
      cancelledDelays: this.#cancelledDelays,
    }
    this.#events = []
    this.#creations = []
    this.#cancelledChildren = []
    this.#cancelledDelays = []
    return writes
  }
}

/** What is wrong with a call at the wrong time. */
export const outsideTurnReason =
  'while the workflow was not running: after awaiting a promise that is not of Stele, or inside ' +
  'a step. Wrap I/O in `step` or an activity, and call the context in the handler only'
