/**
 * The join sets of one run: their members, what is asked of them, and how they close. Turns the
 * wishes of user code into recorded calls; knows nothing of promises.
 */

import { SteleError } from '../../base/error.ts'
import { addDuration } from '../../base/time.ts'
import type {
  ChildRequestEvent,
  CreatedEvent,
  DelayRequestEvent,
  JoinNextTryEvent,
  JoinSetCreateEvent,
  ScheduleIntent,
} from '../../model/event.ts'
import type { FunctionId, FunctionKind } from '../../model/function-id.ts'
import { childId, type DelayId, delayId, type ExecutionId } from '../../model/ids.ts'
import { type JoinSetId, joinSetId } from '../../model/join-set.ts'
import type { ListedResponse } from '../../storage/read.ts'
import type { Ask } from './inbox.ts'
import { dueAt, inputOf, type PreparedInput, requestOf } from './members.ts'
import type { Recorder, Seq } from './recorder.ts'

/** What becomes of the rest of a set. */
export interface SetPolicies {
  readonly onFailure?: 'collect' | 'cancel' | 'ignore'
  readonly onClose?: 'cancel' | 'await' | 'abandon'
  readonly concurrency?: number
}

/** A child or a delay that has been asked for. */
export type Member =
  | {
      readonly kind: 'child'
      readonly id: ExecutionId
      readonly name: string
      readonly functionKind: FunctionKind
    }
  | { readonly kind: 'delay'; readonly id: DelayId }

/** A child that is to be started. */
export interface ChildRequest {
  readonly seq: Seq
  readonly function: FunctionId
  readonly input: PreparedInput
  /** Not to begin before this time has passed. */
  readonly delay: number | undefined
}

/** Every join set of a run. */
export class OpenSets {
  readonly #recorder: Recorder
  readonly #sets = new Map<JoinSetId, OpenSet>()
  #oneOffs = 0
  #generated = 0
  #isClosing = false

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  /** Opens a set for one call: `o:<number>-<name>`. */
  openOneOff(seq: Seq, name: string): OpenSet {
    const id = requireSetId('one_off', `${this.#oneOffs + 1}-${name}`)
    const set = this.#open(seq, id, {})
    this.#oneOffs += 1
    return set
  }

  /** Opens a set that the code has named. Throws `invalid_name` when it is taken. */
  openNamed(seq: Seq, name: string, policies: SetPolicies): OpenSet {
    const id = requireSetId('named', name)
    if (!this.#sets.has(id)) return this.#open(seq, id, policies)
    throw new SteleError(
      'invalid_name',
      `${this.#recorder.options.executionId} has a join set ${JSON.stringify(name)} already. ` +
        'Choose another name, or leave it out.',
      { fields: { executionId: this.#recorder.options.executionId, name } },
    )
  }

  /** Opens a set without a name of its own: `g:<number>`. */
  openGenerated(seq: Seq, policies: SetPolicies): OpenSet {
    const id = requireSetId('generated', String(this.#generated + 1))
    const set = this.#open(seq, id, policies)
    this.#generated += 1
    return set
  }

  #open(seq: Seq, id: JoinSetId, policies: SetPolicies): OpenSet {
    const event: JoinSetCreateEvent = { type: 'join_set_create', seq, joinSetId: id, ...policies }
    this.#recorder.emit(event)
    const set = new OpenSet(this.#recorder, id, policies)
    this.#sets.set(id, set)
    return set
  }

  /** Nothing of a one-off is waited for any more. */
  drop(set: OpenSet): void {
    this.#sets.delete(set.id)
    this.#recorder.inbox.forget(set.id)
  }

  /** A response is about to be given to whoever asked for it. */
  onResponse({ response }: ListedResponse): void {
    if (response.type === 'message') return
    const id = response.type === 'child_finished' ? response.childExecutionId : response.delayId
    this.#sets.get(response.joinSetId)?.remove(id)
  }

  /** The response has been given. */
  afterResponse(id: JoinSetId): void {
    const set = this.#sets.get(id)
    if (set === undefined) return
    set.advanceClosing()
    if (set.isSpent()) this.drop(set)
  }

  /** Closes what is open, the youngest set first. Once: the code opens no more. */
  closeAll(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    // A number of its own: the last call may be a step, and what ends it is found by its number.
    const seq = this.#recorder.lastSeq() + 1
    for (const set of [...this.#sets.values()].toReversed()) set.close(seq)
  }

  /** Every child and delay whose end has not been given. */
  openMembers(): readonly Member[] {
    return [...this.#sets.values()].flatMap((set) => set.members())
  }

  /** Whether nothing is open that has to be waited for. */
  isClosed(): boolean {
    for (const set of this.#sets.values()) if (!set.isDone()) return false
    return true
  }
}

function requireSetId(kind: 'one_off' | 'named' | 'generated', name: string): JoinSetId {
  const id = joinSetId(kind, name)
  if (id.ok && name !== '') return id.value
  throw new SteleError(
    'invalid_name',
    `${JSON.stringify(name)} is not the name of a join set. Use A-Z a-z 0-9 _ / -, at most 128.`,
    { fields: { name } },
  )
}

/** One join set. */
export class OpenSet {
  readonly id: JoinSetId
  readonly policies: SetPolicies
  readonly #recorder: Recorder
  readonly #members = new Map<string, Member>()
  /** Responses that the log promises, and nobody has been given. */
  #asks = 0
  #children = 0
  #delays = 0
  #closingSeq: Seq | undefined
  #onDone: (() => void)[] = []

  constructor(recorder: Recorder, id: JoinSetId, policies: SetPolicies) {
    this.#recorder = recorder
    this.id = id
    this.policies = policies
  }

  /** Members whose end has not been given to the code. */
  members(): readonly Member[] {
    return [...this.#members.values()]
  }

  /** How many they are. */
  openMembers(): number {
    return this.#members.size
  }

  /** How many of them are children. */
  openChildren(): number {
    return this.members().filter(({ kind }) => kind === 'child').length
  }

  /** Whether an ask more would have an answer. */
  hasUnawaited(): boolean {
    return this.#members.size > this.#asks
  }

  /** Whether it was closed, or is about to be. */
  isClosing(): boolean {
    return this.#closingSeq !== undefined
  }

  /** Whether nothing can come of it any more: a one-off whose member has ended. */
  isSpent(): boolean {
    return this.#members.size === 0 && this.id.startsWith('o:')
  }

  /** The id that the next child will have, or the one after so many others. */
  nextChildId(place = 1): ExecutionId {
    const parentId = this.#recorder.options.executionId
    return childId({ parentId, joinSetId: this.id, index: this.#children + place })
  }

  /** Starts a child. Gives why it was refused, when it was: that is recorded too. */
  startChild(request: ChildRequest): { readonly id: ExecutionId; readonly refusal?: string } {
    const { seq, function: fn, input } = request
    const id = this.nextChildId()
    const asked = {
      type: 'join_set_request',
      seq,
      joinSetId: this.id,
      kind: 'child',
      childExecutionId: id,
      function: fn,
    } as const
    const given: ChildRequestEvent = { ...asked, ...inputOf(input.given), result: 'ok' }
    const recorded = this.#recorder.emit(given, () => {
      const parsed = input.parse()
      const event: ChildRequestEvent = { ...asked, ...requestOf(parsed) }
      if (event.result === 'ok') this.#create(id, request, event)
      return event
    })
    this.#children += 1
    if (recorded.result !== 'ok') return { id, refusal: recorded.reason ?? recorded.result }
    this.#members.set(id, { kind: 'child', id, name: fn.name, functionKind: fn.kind })
    return { id }
  }

  #create(
    executionId: ExecutionId,
    { delay = 0 }: ChildRequest,
    { function: fn, input }: ChildRequestEvent,
  ): void {
    const { options } = this.#recorder
    const createdAt = options.wallNow()
    const { metadata } = options.created
    const event: CreatedEvent = {
      type: 'created',
      function: fn,
      ...inputOf(input),
      parent: { executionId: options.executionId, joinSetId: this.id },
      scheduledAt: addDuration(createdAt, delay),
      deploymentId: options.deploymentId,
      ...(metadata === undefined ? {} : { metadata }),
    }
    this.#recorder.create({ executionId, createdAt, event })
  }

  /** Starts a delay. */
  startDelay(seq: Seq, intent: ScheduleIntent): DelayId {
    const { executionId: parentId, wallNow } = this.#recorder.options
    const id = delayId({ parentId, joinSetId: this.id, index: this.#delays + 1 })
    const event: DelayRequestEvent = {
      type: 'join_set_request',
      seq,
      joinSetId: this.id,
      kind: 'delay',
      delayId: id,
      dueAt: dueAt(intent, wallNow()),
      intent,
    }
    this.#recorder.emit(event)
    this.#delays += 1
    this.#members.set(id, { kind: 'delay', id })
    return id
  }

  /** Asks for the next end of any member. */
  ask(seq: Seq, onAnswer: Ask['onAnswer'], requestedFunction?: string): Ask {
    return this.#ask(seq, onAnswer, {
      closing: false,
      ...(requestedFunction === undefined ? {} : { requestedFunction }),
    })
  }

  #ask(
    seq: Seq,
    onAnswer: Ask['onAnswer'],
    how: { readonly closing: boolean; readonly requestedFunction?: string },
  ): Ask {
    this.#recorder.emit({ type: 'join_next', seq, joinSetId: this.id, ...how })
    const ask = { onAnswer }
    this.#asks += 1
    this.#recorder.inbox.ask(this.id, ask)
    return ask
  }

  /** Gives up an ask. */
  withdraw(seq: Seq, ask: Ask): void {
    this.#recorder.emit({ type: 'join_next_withdraw', seq, joinSetId: this.id })
    this.#asks -= 1
    this.#recorder.inbox.withdraw(this.id, ask)
  }

  /** Records an ask that nothing can answer. */
  askTooMany(seq: Seq): void {
    this.#recorder.emit({ type: 'join_next_too_many', seq, joinSetId: this.id })
  }

  /** Looks for an end without waiting; what it finds is recorded, and found again by replays. */
  tryNext(seq: Seq): ListedResponse | undefined {
    const { inbox } = this.#recorder
    const isThere = this.hasUnawaited() && inbox.hasUnasked(this.id)
    const otherwise = this.hasUnawaited() ? 'pending' : 'all_processed'
    const outcome = isThere ? 'found' : otherwise
    const event: JoinNextTryEvent = { type: 'join_next_try', seq, joinSetId: this.id, outcome }
    if (this.#recorder.emit(event).outcome !== 'found') return undefined
    const response = inbox.takeUnasked(this.id)
    if (response === undefined) return undefined
    this.#recorder.tell(response.createdAt)
    this.#forget(response)
    return response
  }

  #forget({ response }: ListedResponse): void {
    if (response.type === 'child_finished') this.#members.delete(response.childExecutionId)
    if (response.type === 'delay_finished') this.#members.delete(response.delayId)
  }

  /** A member has ended, and an ask is answered with it. */
  remove(id: string): void {
    this.#asks -= 1
    this.#members.delete(id)
  }

  /** Cancels one member, or all that are open. */
  cancel(id?: string): void {
    for (const member of [...this.#members.values()].toReversed()) {
      if (id === undefined || member.id === id) this.#cancel(member)
    }
  }

  #cancel(member: Member): void {
    if (member.kind === 'delay') this.#recorder.cancelDelay(member.id)
    else this.#recorder.cancelChild(member.id)
  }

  /** Closes: cancels or awaits what is open, and asks for its end. Calls back when that is done. */
  close(seq: Seq, onDone?: () => void): void {
    if (onDone !== undefined) this.#onDone.push(onDone)
    if (this.#closingSeq === undefined) {
      this.#closingSeq = seq
      for (const member of [...this.#members.values()].toReversed()) {
        if (this.#endAtClose(member) === 'cancel') this.#cancel(member)
      }
    }
    this.advanceClosing()
  }

  /** While it closes, there is an ask for each member that has to end. */
  advanceClosing(): void {
    const seq = this.#closingSeq
    if (seq === undefined) return
    const awaited = this.#awaitedAtClose()
    while (this.#asks < awaited) this.#ask(seq, () => undefined, { closing: true })
    if (awaited > 0) return
    for (const done of this.#onDone.splice(0)) done()
  }

  /** Whether nothing of it has to be waited for. */
  isDone(): boolean {
    return this.#awaitedAtClose() === 0
  }

  #awaitedAtClose(): number {
    if (this.policies.onClose !== 'abandon') return this.#members.size
    let awaited = 0
    for (const { kind } of this.#members.values()) if (kind === 'delay') awaited += 1
    return awaited
  }

  #endAtClose(member: Member): 'cancel' | 'await' | 'abandon' {
    if (member.kind === 'delay') return 'cancel'
    return this.policies.onClose ?? (member.functionKind === 'activity' ? 'cancel' : 'await')
  }
}
