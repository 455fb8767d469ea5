/** Who takes which end of a join set. */

import { SteleError } from '../../base/error.ts'
import { readOptions } from '../../base/options.ts'
import { type Duration, parseDuration, parseInstant } from '../../base/time.ts'
import type { ListedResponse } from '../../storage/read.ts'
import { type AnyFunction, requireFunctionRef } from '../function-ref.ts'
import type { Child, ChildOptions } from './context.ts'
import { Ended, idOf } from './ended.ts'
import type { Ask } from './inbox.ts'
import { outcomeOf, prepareInput, refusedInput } from './members.ts'
import type { ChildRequest, OpenSet } from './open-sets.ts'
import type { Parts } from './parts.ts'
import type { Seq } from './recorder.ts'
import { beginLimit } from './timeout.ts'

/** Somebody who waits for the next end. */
export interface Taker {
  readonly seq: Seq
  readonly timeout?: Duration | undefined
  readonly resolve: (end: Ended | undefined) => void
  readonly reject: (error: unknown) => void
  readonly onExhausted: 'reject' | 'end'
}

/** A child that waits for its start, under the id that it will have. */
interface Queued {
  readonly id: string
  readonly name: string
  readonly request: ChildRequest
}

/** A taker that waits. */
interface Waiting {
  readonly taker: Taker
  ask?: Ask
  endLimit?: () => void
}

/**
 * Who takes what of a set. With a limit on open children, every child is asked for as it starts,
 * so that the next one can start as soon as it ends; its end waits here until somebody takes it.
 */
export class Taking {
  readonly set: OpenSet
  readonly #parts: Parts
  readonly #names = new Map<string, string>()
  readonly #queue: Queued[] = []
  readonly #ended: Ended[] = []
  readonly #waiting: Waiting[] = []
  #hasCancelled = false
  /** Children in the queue that are to be cancelled as they begin. */
  readonly #cancelledIds = new Set<string>()

  constructor(parts: Parts, set: OpenSet) {
    this.#parts = parts
    this.set = set
  }

  submit(
    seq: Seq,
    fn: AnyFunction,
    { input, options }: { readonly input: unknown; readonly options: ChildOptions },
  ): Child<AnyFunction> {
    const target = requireFunctionRef(fn)
    const { delay } = readOptions(options, ['delay'], 'submit')
    const prepared = prepareInput(this.#parts.recorder, fn, input)
    this.#requireOpen()
    const request: ChildRequest = {
      seq,
      function: target,
      input: prepared,
      delay: delay === undefined ? undefined : parseDuration(delay),
    }
    const { concurrency } = this.set.policies
    if (concurrency === undefined) return this.#start(request)
    if (this.set.openChildren() < concurrency && this.#queue.length === 0) {
      return this.#startPooled(request)
    }
    const { name } = target
    const id = this.set.nextChildId(this.#queue.length + 1)
    this.#queue.push({ id, name, request })
    return { id, name }
  }

  delay(seq: Seq, duration: Duration | Date): { readonly id: string } {
    this.#requireOpen()
    const intent =
      typeof duration === 'object'
        ? ({ type: 'at', at: parseInstant(duration) } as const)
        : ({ type: 'in', in: parseDuration(duration) } as const)
    const id = this.set.startDelay(seq, intent)
    if (this.#isPooled()) this.#askPooled(seq)
    return { id }
  }

  next(taker: Taker): void {
    const waiting: Waiting = { taker }
    const ended = this.#ended.shift()
    if (ended !== undefined) {
      taker.resolve(ended)
      return
    }
    if (!this.#wait(waiting) || taker.timeout === undefined) return
    const { seq, timeout } = taker
    waiting.endLimit = beginLimit(this.#parts, { seq, timeout }, () => {
      this.#giveUp(waiting)
      taker.resolve(undefined)
    })
  }

  tryNext(seq: Seq): Ended | undefined {
    if (this.#isPooled()) return this.#ended.shift()
    for (;;) {
      const response = this.set.tryNext(seq)
      if (response === undefined) return undefined
      const end = this.#end(response)
      if (!this.#isLeftOut(end)) return end
    }
  }

  close(seq: Seq, onDone: () => void): void {
    this.#queue.length = 0
    this.set.close(seq, onDone)
  }

  /** Cancels one member, or all that are open; those that have not begun end here. */
  cancel(id?: string): void {
    this.set.cancel(id)
    if (id === undefined) this.#dropQueue()
    else if (this.#queue.some((queued) => queued.id === id)) {
      // Its number is promised, so that it has to begin before it can be cancelled.
      this.#cancelledIds.add(id)
    }
  }

  #dropQueue(): void {
    const { codec } = this.#parts.recorder.options
    for (const { id, name } of this.#queue.splice(0)) {
      const end = Ended.cancelled(codec, id, name)
      if (!this.#isLeftOut(end)) this.#ended.push(end)
    }
    this.#givePooled()
  }

  #isPooled(): boolean {
    return this.set.policies.concurrency !== undefined
  }

  #requireOpen(): void {
    if (!this.set.isClosing()) return
    const { executionId } = this.#parts.recorder.options
    throw new SteleError(
      'join_set_closed',
      `Join set ${this.set.id} of ${executionId} is closed. Submit before closing it.`,
      { fields: { executionId, joinSetId: this.set.id } },
    )
  }

  #start(request: ChildRequest): Child<AnyFunction> {
    const { id, refusal } = this.set.startChild(request)
    if (refusal !== undefined) throw refusedInput(refusal)
    const { name } = request.function
    this.#names.set(id, name)
    return { id, name }
  }

  #startPooled(request: ChildRequest): Child<AnyFunction> {
    const { id, refusal } = this.#tryPooled(request)
    if (refusal !== undefined) throw refusedInput(refusal)
    return { id, name: request.function.name }
  }

  #tryPooled(request: ChildRequest): ReturnType<OpenSet['startChild']> {
    const started = this.set.startChild(request)
    if (started.refusal !== undefined) return started
    this.#names.set(started.id, request.function.name)
    this.#askPooled(request.seq)
    return started
  }

  #askPooled(seq: Seq): void {
    this.set.ask(seq, (response) => {
      const hadCancelled = this.#hasCancelled
      const end = this.#end(response)
      if (!this.#isLeftOut(end)) this.#ended.push(end)
      // The failure comes before what it cancels.
      if (this.#hasCancelled && !hadCancelled) this.#dropQueue()
      if (end.kind === 'child' && !this.set.isClosing()) this.#startNext()
      this.#givePooled()
    })
  }

  #startNext(): void {
    const next = this.#queue.shift()
    if (next === undefined) return
    const { id, refusal } = this.#tryPooled(next.request)
    if (refusal !== undefined) {
      const { codec } = this.#parts.recorder.options
      this.#ended.push(Ended.refused(codec, next, refusal))
      this.#startNext()
    } else if (this.#cancelledIds.delete(id)) this.set.cancel(id)
  }

  /** Whether the taker waits now; it is told when nothing can come. */
  #wait(waiting: Waiting): boolean {
    if (this.#isPooled()) {
      this.#waiting.push(waiting)
      this.#givePooled()
      return this.#waiting.includes(waiting)
    }
    const { taker } = waiting
    if (!this.set.hasUnawaited()) {
      this.#exhaust(waiting)
      return false
    }
    waiting.ask = this.set.ask(taker.seq, (response) => {
      const end = this.#end(response)
      // A failure that nobody wants to see: on to the next one.
      if (this.#isLeftOut(end)) this.#wait(waiting)
      else this.#resolve(waiting, end)
    })
    return true
  }

  #givePooled(): void {
    while (this.#waiting.length > 0) {
      const end = this.#ended.shift()
      const isExhausted = this.set.openMembers() + this.#queue.length < this.#waiting.length
      if (end === undefined && !isExhausted) return
      const waiting = end === undefined ? this.#waiting.pop() : this.#waiting.shift()
      if (waiting === undefined) return
      if (end === undefined) this.#exhaust(waiting)
      else this.#resolve(waiting, end)
    }
  }

  #resolve({ taker, endLimit }: Waiting, end: Ended): void {
    endLimit?.()
    taker.resolve(end)
  }

  #exhaust({ taker, endLimit }: Waiting): void {
    endLimit?.()
    if (taker.onExhausted === 'end') {
      taker.resolve(undefined)
      return
    }
    if (!this.#isPooled()) this.set.askTooMany(taker.seq)
    const { executionId } = this.#parts.recorder.options
    taker.reject(
      new SteleError(
        'join_set_exhausted',
        `Everything in join set ${this.set.id} of ${executionId} has been answered. ` +
          'Submit more, or end the loop; iterating over the set ends by itself.',
        { fields: { executionId, joinSetId: this.set.id } },
      ),
    )
  }

  #giveUp(waiting: Waiting): void {
    const { ask, taker } = waiting
    if (ask !== undefined) this.set.withdraw(taker.seq, ask)
    const index = this.#waiting.indexOf(waiting)
    if (index >= 0) this.#waiting.splice(index, 1)
  }

  #end(response: ListedResponse): Ended {
    const { codec } = this.#parts.recorder.options
    const id = idOf(response)
    const end = new Ended(codec, { id, name: this.#names.get(id), stored: outcomeOf(response) })
    this.#names.delete(id)
    const isFailure = end.kind === 'child' && end.outcome.type !== 'ok'
    if (isFailure && this.set.policies.onFailure === 'cancel' && !this.#hasCancelled) {
      this.#hasCancelled = true
      this.set.cancel()
    }
    return end
  }

  #isLeftOut(end: Ended): boolean {
    const isFailure = end.kind === 'child' && end.outcome.type !== 'ok'
    return isFailure && this.set.policies.onFailure === 'ignore'
  }
}
