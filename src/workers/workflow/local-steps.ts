/**
 * The local steps of one run: called by the code, run by whoever holds the lock, ended from the
 * record. Runs nothing itself.
 */

import type { Instant, Milliseconds } from '../../base/time.ts'
import type { Version } from '../../model/event.ts'
import { delayId } from '../../model/ids.ts'
import type { RetryPolicy } from '../../model/retry.ts'
import { executionErrorOf, readOutcome } from '../outcomes.ts'
import type { StepContext } from './context.ts'
import type { RecordedStep, RecordedStepEnd } from './journal.ts'
import type { Recorder, Seq } from './recorder.ts'
import { retrySet } from './step-events.ts'

/** A step as the code called it. */
export interface StepCall {
  readonly seq: Seq
  readonly name: string
  readonly code: (context: StepContext) => unknown
  readonly retry: RetryPolicy
  readonly timeout: Milliseconds
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Where a step stands. */
export type StepStatus =
  /** Wants to run, not before an instant. */
  | 'requested'
  | 'running'
  /** Waits for a delay between two attempts. */
  | 'delayed'
  /** Its end is in the log, and will be delivered. */
  | 'recorded'

/** A step that has not been delivered. */
export interface LocalStep {
  readonly call: StepCall
  status: StepStatus
  /** Attempts that failed. */
  failures: number
  /** The next attempt begins then at the earliest. */
  notBefore: Instant
}

/** Every step of a run. */
export class LocalSteps {
  readonly #recorder: Recorder
  readonly #steps = new Map<Seq, LocalStep>()

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  /** The code has called a step; what the log says of it is looked up. */
  add(call: StepCall): void {
    const recorded = this.#recorder.journal.findStep(call.seq)
    this.#requireSame(call, recorded)
    const failures = recorded?.failures ?? []
    const step: LocalStep = {
      call,
      status: recorded?.end === undefined ? 'requested' : 'recorded',
      failures: failures.length,
      notBefore: failures.at(-1)?.dueAt ?? 0,
    }
    this.#steps.set(call.seq, step)
    if (step.status === 'requested' && recorded?.retryDelay !== undefined) this.delay(step)
  }

  /** A step waits for the delay before its next attempt. */
  delay(step: LocalStep): void {
    step.status = 'delayed'
    const joinSetId = retrySet(step.call.seq, step.failures)
    this.#recorder.inbox.ask(joinSetId, {
      onAnswer: () => {
        // Fired or cancelled: nothing is left to wait for.
        step.status = 'requested'
        step.notBefore = 0
      },
    })
  }

  /** The end of a step reaches the code; false when the code has made no such call. */
  deliver({ event }: RecordedStepEnd): boolean {
    const step = this.#steps.get(event.seq)
    if (step === undefined) return false
    this.#steps.delete(event.seq)
    const { codec, executionId } = this.#recorder.options
    const { outcome, name } = event
    const { resolve, reject } = step.call
    try {
      if (outcome.type !== 'ok') {
        reject(executionErrorOf(codec, { executionId, functionName: name, outcome }))
        return true
      }
      const read = readOutcome(codec, outcome)
      resolve('value' in read ? read.value : undefined)
    } catch (cause) {
      reject(cause)
    }
    return true
  }

  /** Steps that want to run. */
  requested(): readonly LocalStep[] {
    return [...this.#steps.values()].filter(({ status }) => status === 'requested')
  }

  /** Whether a step will bring the code on. */
  hasOpen(): boolean {
    return this.#steps.size > 0
  }

  /** The handler has ended: nobody waits for what is still open. */
  abandon(): void {
    const { executionId: parentId } = this.#recorder.options
    for (const { call, status, failures } of this.#steps.values()) {
      if (status !== 'delayed') continue
      const joinSetId = retrySet(call.seq, failures)
      this.#recorder.cancelDelay(delayId({ parentId, joinSetId, index: 1 }))
    }
    this.#steps.clear()
  }

  /** The log must not say that a call of this number was something else. */
  #requireSame({ seq, name }: StepCall, recorded: RecordedStep | undefined): void {
    const expected = this.#otherCall(seq, name, recorded)
    if (expected === undefined) return
    const actual = `call ${seq} is step ${JSON.stringify(name)}`
    const { version, text } = expected
    throw this.#recorder.failMismatch({ version, expected: text, actual })
  }

  #otherCall(
    seq: Seq,
    name: string,
    recorded: RecordedStep | undefined,
  ): { readonly version: Version; readonly text: string } | undefined {
    const call = this.#recorder.journal.callAt(seq)
    if (call !== undefined) return call
    if (recorded === undefined || recorded.name === name) return undefined
    const text = `call ${seq} is step ${JSON.stringify(recorded.name)}`
    return { version: recorded.version, text }
  }
}
