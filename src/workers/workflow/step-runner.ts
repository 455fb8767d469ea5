/**
 * Runs the local steps of one frame while its lock is held, and turns their ends into events.
 * What a step's code throws or returns ends here.
 */

import { unreachable } from '../../base/assert.ts'
import { type Codec, encodeValue } from '../../base/codec.ts'
import { isSteleError, SteleError } from '../../base/error.ts'
import { copyJson } from '../../base/json.ts'
import type { Cancel, Clock, Milliseconds, Scheduler } from '../../base/time.ts'
import type { AbortReason, Run } from '../../engine/worker.ts'
import type { StepFinishedEvent } from '../../model/event.ts'
import { delayId } from '../../model/ids.ts'
import type { StoredOutcome } from '../../model/outcome.ts'
import { decideRetry } from '../../model/retry.ts'
import { isActivityError, isErr, isPermanent, isPermanentError } from '../err.ts'
import { describeThrown, type Thrown } from '../stored-error.ts'
import type { StepContext } from './context.ts'
import type { Frame } from './frame.ts'
import type { LocalStep } from './local-steps.ts'
import { retrySet } from './step-events.ts'

/** Waits between attempts up to this long are spent here, holding the lock; longer ones park. */
export const shortBackoffMax: Milliseconds = 1_000

/** What a step runner stands on. */
export interface StepRunnerOptions {
  readonly frame: Frame
  readonly run: Run
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Runs code as none of a workflow's. */
  readonly leave: <Value>(run: () => Value) => Value
  /** Called when something has ended, or may begin. */
  readonly onChange: () => void
}

/** How an attempt ended. */
type AttemptEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'timed_out' }

interface Running {
  readonly step: LocalStep
  readonly context: LazyStepContext
  readonly end: Promise<unknown>
  readonly cancelTimer: Cancel
}

/** Runs the steps of a frame. */
export class StepRunner {
  readonly #options: StepRunnerOptions
  readonly #running = new Set<Running>()
  readonly #ended: { readonly step: LocalStep; readonly end: AttemptEnd }[] = []
  readonly #timers = new Map<LocalStep, Cancel>()
  #isStopping = false

  constructor(options: StepRunnerOptions) {
    this.#options = options
  }

  /** Whether something here will change by itself. */
  isBusy(): boolean {
    return this.#running.size + this.#ended.length + this.#timers.size > 0
  }

  /** Begins what wants to run, and is due. */
  startDue(): void {
    if (this.#isStopping) return
    const { frame, clock, scheduler } = this.#options
    const now = clock.now()
    for (const step of frame.steps.requested()) {
      if (step.notBefore <= now) this.#start(step)
      else if (!this.#timers.has(step)) {
        const cancel = scheduler.after(step.notBefore - now, () => {
          this.#timers.delete(step)
          this.#options.onChange()
        })
        this.#timers.set(step, cancel)
      }
    }
  }

  /** Writes what has ended since the last time into the frame; false when nothing has. */
  writeEnds(): boolean {
    const ended = this.#ended.splice(0)
    for (const { step, end } of ended) this.#write(step, end)
    return ended.length > 0
  }

  /** Tells running steps to end; those that go on are nobody's. */
  abort(reason: AbortReason): void {
    this.#isStopping = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    for (const { context } of this.#running) context.abort(reason)
    if (reason === 'stopping') return
    for (const running of this.#running) this.#leave(running)
  }

  #leave(running: Running): void {
    this.#running.delete(running)
    running.cancelTimer()
    this.#options.run.onStraggler(running.end)
  }

  #start(step: LocalStep): void {
    const { frame, run, scheduler, leave } = this.#options
    const { code, seq, timeout } = step.call
    step.status = 'running'
    const idempotencyKey = `${frame.options.executionId}/${seq}`
    const context = new LazyStepContext(step.failures + 1, idempotencyKey)
    run.history.expectSilence(timeout + shortBackoffMax)
    // An async function: what the code throws at once is a rejection like any other.
    const end = leave(async () => code(context))
    const cancelTimer = scheduler.after(timeout, () => {
      if (!this.#running.has(running)) return
      context.abort('timed_out')
      this.#leave(running)
      this.#finish(step, { type: 'timed_out' })
    })
    const running = { step, context, end, cancelTimer }
    this.#running.add(running)
    end.then(
      (value) => {
        this.#settle(running, { type: 'returned', value })
      },
      (error: unknown) => {
        this.#settle(running, { type: 'threw', error })
      },
    )
  }

  #settle(running: Running, end: AttemptEnd): void {
    if (!this.#running.delete(running)) return
    running.cancelTimer()
    if (!this.#isStopping || end.type !== 'threw') {
      this.#finish(running.step, end)
      return
    }
    // It was told to stop, and did: not a failure of the attempt, which somebody else will make.
    running.step.status = 'requested'
    this.#options.onChange()
  }

  #finish(step: LocalStep, end: AttemptEnd): void {
    this.#ended.push({ step, end })
    this.#options.onChange()
  }

  // ── ends become events ────────────────────────────────────────────────────────────────────────

  #write(step: LocalStep, end: AttemptEnd): void {
    const { frame } = this.#options
    const { codec, valueBytes, errorDetailBytes } = frame.options
    const judged = judge(end, { codec, valueBytes, errorDetailBytes })
    const { outcome } = judged
    if (outcome.type === 'ok' || judged.isPermanent || !this.#retry(step, outcome)) {
      const { seq, name } = step.call
      step.status = 'recorded'
      const afterCursor = frame.seen()
      const event: StepFinishedEvent = { type: 'step_finished', seq, name, outcome, afterCursor }
      frame.write(event)
    }
  }

  /** Records a failure that will be repeated; false when the budget is used up. */
  #retry(step: LocalStep, outcome: StoredOutcome): boolean {
    const { frame, clock } = this.#options
    const { executionId } = frame.options
    const { seq, name, retry } = step.call
    const failedAt = clock.now()
    const dueAt = decideRetry({ executionId, failures: step.failures, retry, failedAt })
    if (dueAt === undefined) return false
    step.failures += 1
    step.notBefore = dueAt
    const { reason = 'the step returned an error', detail } =
      outcome.type === 'execution_failure' ? outcome : {}
    const attempt = step.failures
    const why = detail === undefined ? { reason } : { reason, detail }
    frame.write({ type: 'step_failed', seq, name, attempt, dueAt, ...why })
    if (dueAt - failedAt <= shortBackoffMax) step.status = 'requested'
    else this.#delay(step)
    return true
  }

  #delay(step: LocalStep): void {
    const { frame } = this.#options
    const { seq } = step.call
    const joinSetId = retrySet(seq, step.failures)
    const id = delayId({ parentId: frame.options.executionId, joinSetId, index: 1 })
    const dueAt = step.notBefore
    const intent = { type: 'at', at: dueAt } as const
    const request = { type: 'join_set_request', kind: 'delay', delayId: id, dueAt, intent } as const
    frame.write({ type: 'join_set_create', seq, joinSetId })
    frame.write({ ...request, seq, joinSetId })
    frame.write({ type: 'join_next', seq, joinSetId, closing: false })
    frame.steps.delay(step)
  }
}

/** What the code of a step is given; the signal is made when it is first read. */
class LazyStepContext implements StepContext {
  readonly attempt: number
  readonly idempotencyKey: string
  #controller: AbortController | undefined
  #reason: AbortReason | undefined

  constructor(attempt: number, idempotencyKey: string) {
    this.attempt = attempt
    this.idempotencyKey = idempotencyKey
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#error(this.#reason))
    }
    return this.#controller.signal
  }

  abort(reason: AbortReason): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#error(reason))
  }

  #error(reason: AbortReason): SteleError {
    const isStop = reason === 'stopping' || reason === 'released'
    const message = `Step ${this.idempotencyKey} should end (${reason.replaceAll('_', ' ')}).`
    const fields = { idempotencyKey: this.idempotencyKey, reason }
    return new SteleError(isStop ? 'engine_stopped' : 'lock_lost', message, { fields })
  }
}

interface JudgeOptions {
  readonly codec: Codec
  readonly valueBytes: number
  readonly errorDetailBytes: number
}

/** An attempt as an outcome, and whether no repetition can help. */
interface Judged {
  readonly outcome: StoredOutcome
  readonly isPermanent: boolean
}

function judge(end: AttemptEnd, options: JudgeOptions): Judged {
  switch (end.type) {
    case 'timed_out':
      return { outcome: { type: 'execution_failure', kind: 'timed_out' }, isPermanent: false }
    case 'returned':
      return isErr(end.value)
        ? judgeFailure(end.value, options)
        : judgeValue({ type: 'ok', read: () => end.value, isPermanent: true }, options)
    case 'threw':
      return judgeThrown(end.error, options)
    default:
      return unreachable(end)
  }
}

function judgeThrown(error: unknown, options: JudgeOptions): Judged {
  if (isActivityError(error)) return judgeFailure(error, options)
  const outcome = failureOf(describeThrown(error, options.errorDetailBytes), 'step trap: ')
  return { outcome, isPermanent: isPermanentError(error) }
}

function judgeFailure(failure: { readonly value: unknown }, options: JudgeOptions): Judged {
  const isFinal = isPermanent(failure)
  return judgeValue({ type: 'err', read: () => failure.value, isPermanent: isFinal }, options)
}

/** A value that cannot be stored is final: the effects have happened. */
function judgeValue(
  given: {
    readonly type: 'ok' | 'err'
    readonly read: () => unknown
    readonly isPermanent: boolean
  },
  { codec, valueBytes, errorDetailBytes }: JudgeOptions,
): Judged {
  const { type, read, isPermanent: isFinal } = given
  try {
    const stored = encodeValue(codec, { value: read(), root: 'result of the step', valueBytes })
    // A copy: it is written later, and until then the code may change its object.
    const outcome = stored === undefined ? { type } : { type, value: copyJson(stored) }
    return { outcome, isPermanent: isFinal }
  } catch (cause) {
    const thrown = describeThrown(cause, errorDetailBytes)
    const prefix = isSteleError(cause) ? '' : 'the result cannot be stored: '
    return { outcome: failureOf(thrown, prefix), isPermanent: true }
  }
}

function failureOf({ reason, detail, error }: Thrown, prefix: string): StoredOutcome {
  const failure = { type: 'execution_failure', kind: 'uncategorized', error } as const
  const why = { reason: `${prefix}${reason}` }
  return detail === undefined ? { ...failure, ...why } : { ...failure, ...why, detail }
}
