/** The context of a workflow: each member turns one wish of the code into recorded calls. */

import { decodeValue } from '../../base/codec.ts'
import { invalidOption, readOptions, requireText } from '../../base/options.ts'
import { type Duration, parseDuration, parseInstant } from '../../base/time.ts'
import type { CreatedEvent, ScheduleEvent, ScheduleIntent } from '../../model/event.ts'
import { type ExecutionId, newExecutionId } from '../../model/ids.ts'
import type { StoredOutcome } from '../../model/outcome.ts'
import type { ListedResponse } from '../../storage/read.ts'
import { ExecutionError } from '../execution-error.ts'
import { activityDefaults, resolveRetry } from '../function-options.ts'
import { type AnyFunction, requireFunctionRef } from '../function-ref.ts'
import { executionErrorOf, readOutcome } from '../outcomes.ts'
import { createRunLog } from '../run-log.ts'
import { createChannels } from './channels.ts'
import type {
  CallOptions,
  ScheduleOptions,
  SleepOptions,
  StepOptions,
  WorkflowContext,
} from './context.ts'
import { createJoinSet } from './join-set.ts'
import { dueAt, inputOf, outcomeOf, prepareInput, refusedInput, requestOf } from './members.ts'
import { randomOf, ulidOf, uuidOf } from './minted.ts'
import type { Parts } from './parts.ts'
import { settled } from './settled.ts'

/** The context as the worker hands it to any handler. */
export type AnyWorkflowContext = WorkflowContext<Readonly<Record<string, unknown>>>

/** The context of a frame. Members are made once; no member needs `this`. */
export function createContext(parts: Parts): AnyWorkflowContext {
  const { executionId, created } = parts.recorder.options
  const context = {
    executionId,
    metadata: created.metadata ?? {},
    ...createCalls(parts),
    joinSet: (name?: string, options?: object) => createJoinSet(parts, name, options),
    messages: createChannels(parts),
    now: () => {
      parts.recorder.requireTurn('now')
      return parts.recorder.now()
    },
    random: () => randomOf(executionId, parts.recorder.nextSeq('random')),
    uuid: () => uuidOf(executionId, parts.recorder.nextSeq('uuid')),
    log: createRunLog((line) => {
      parts.recorder.log(line)
    }),
    patched: (id: string) => parts.recorder.patched(requireText(id, 'patched.id')),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- functions name their types
  return context as unknown as AnyWorkflowContext
}

/** The members that are answered later. */
function createCalls(parts: Parts): Readonly<Record<string, unknown>> {
  const { codec } = parts.recorder.options
  return {
    call: (fn: AnyFunction, input?: unknown, options?: CallOptions) =>
      settled(parts.recorder, (resolve, reject) => {
        runChild(parts, { what: 'call', fn, input, options, reject }, (child) => {
          const { outcome } = child
          if (outcome.type !== 'ok') throw executionErrorOf(codec, { ...child, outcome })
          resolve(decodeValue(codec, outcome.value, 'result'))
        })
      }),
    outcome: (fn: AnyFunction, input?: unknown, options?: CallOptions) =>
      settled(parts.recorder, (resolve, reject) => {
        runChild(parts, { what: 'outcome', fn, input, options, reject }, ({ outcome }) => {
          resolve(readOutcome(codec, outcome))
        })
      }),
    step: (name: string, code: StepCode, options?: StepOptions) =>
      settled(parts.recorder, (resolve, reject) => {
        addStep(parts, { name, code, options, resolve, reject })
      }),
    sleep: (duration: Duration, options?: SleepOptions) =>
      settled<void>(parts.recorder, (resolve, reject) => {
        const intent = { type: 'in', in: parseDuration(duration) } as const
        sleep(parts, { what: 'sleep', intent, options, resolve, reject })
      }),
    sleepUntil: (instant: Date | number, options?: SleepOptions) =>
      settled<void>(parts.recorder, (resolve, reject) => {
        const intent = { type: 'at', at: parseInstant(instant) } as const
        sleep(parts, { what: 'sleepUntil', intent, options, resolve, reject })
      }),
    schedule: (fn: AnyFunction, input?: unknown, options?: ScheduleOptions) =>
      schedule(parts, { fn, input, options }),
  }
}

/** The code of a step. */
export type StepCode = Parameters<WorkflowContext['step']>[1]

/** What ended, and how. */
interface ChildEnd {
  readonly executionId: string
  readonly functionName: string
  readonly outcome: StoredOutcome
}

interface ChildCall {
  readonly what: 'call' | 'outcome'
  readonly fn: AnyFunction
  readonly input: unknown
  readonly options: CallOptions | undefined
  /** Hears what `onEnd` throws. */
  readonly reject: (error: unknown) => void
}

function runChild(parts: Parts, call: ChildCall, onEnd: (end: ChildEnd) => void): void {
  const { what, fn, input, options = {} } = call
  const seq = parts.recorder.nextSeq(what)
  const id = requireFunctionRef(fn)
  const { name, delay } = readOptions(options, ['name', 'delay'], what)
  const prepared = prepareInput(parts.recorder, fn, input)
  const setName = name === undefined ? id.name : requireText(name, `${what}.name`)
  const request = {
    seq,
    function: id,
    input: prepared,
    delay: delay === undefined ? undefined : parseDuration(delay),
  }
  const set = parts.sets.openOneOff(seq, setName)
  const child = set.startChild(request)
  if (child.refusal !== undefined) throw refusedInput(child.refusal)
  const about = { executionId: child.id, functionName: id.name }
  const onAnswer = (response: ListedResponse): void => {
    try {
      onEnd({ ...about, outcome: outcomeOf(response) })
    } catch (cause) {
      call.reject(cause)
    }
  }
  set.ask(seq, onAnswer, id.name)
}

interface StepRequest {
  readonly name: string
  readonly code: StepCode
  readonly options: StepOptions | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

function addStep(parts: Parts, { options = {}, ...step }: StepRequest): void {
  const seq = parts.recorder.nextSeq('step')
  parts.recorder.placeStep(seq)
  const name = requireText(step.name, 'step.name')
  if (typeof step.code !== 'function') throw invalidOption(`step ${name}`, 'needs a function')
  const { retry, timeout } = readOptions(options, ['retry', 'timeout'], `step ${name}`)
  parts.steps.add({
    ...step,
    seq,
    retry: resolveRetry(retry ?? {}, `step ${name}`, 'activity'),
    timeout: parseDuration(timeout ?? activityDefaults.timeout),
  })
}

interface SleepRequest {
  readonly what: 'sleep' | 'sleepUntil'
  readonly intent: ScheduleIntent
  readonly options: SleepOptions | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function sleep(parts: Parts, { what, intent, options = {}, resolve, reject }: SleepRequest): void {
  const seq = parts.recorder.nextSeq(what)
  const { name = 'sleep' } = readOptions(options, ['name'], what)
  const set = parts.sets.openOneOff(seq, requireText(name, `${what}.name`))
  const executionId = set.startDelay(seq, intent)
  set.ask(seq, (response) => {
    const outcome = outcomeOf(response)
    if (outcome.type !== 'execution_failure') resolve()
    else reject(new ExecutionError({ executionId, functionName: name, outcome }))
  })
}

interface ScheduleCall {
  readonly fn: AnyFunction
  readonly input: unknown
  readonly options: ScheduleOptions | undefined
}

function schedule(parts: Parts, call: ScheduleCall): { readonly id: string } {
  const seq = parts.recorder.nextSeq('schedule')
  const { fn, input, options = {} } = call
  const target = requireFunctionRef(fn)
  const intent = intentOf(readOptions(options, ['at', 'in'], 'schedule'))
  const prepared = prepareInput(parts.recorder, fn, input)
  const id = newExecutionId(
    ulidOf(parts.recorder.options.executionId, { seq, at: parts.recorder.now() }),
  )
  const asked = { type: 'schedule', seq, executionId: id, function: target, intent } as const
  const given: ScheduleEvent = { ...asked, ...inputOf(prepared.given), result: 'ok' }
  const recorded = parts.recorder.emit(given, () => {
    const event: ScheduleEvent = { ...asked, ...requestOf(prepared.parse()) }
    if (event.result === 'ok') createDetached(parts, id, event)
    return event
  })
  if (recorded.result === 'ok') return { id }
  throw refusedInput(recorded.reason ?? recorded.result)
}

function intentOf({ at, in: delay }: ScheduleOptions): ScheduleIntent {
  if (at !== undefined && delay !== undefined) {
    throw invalidOption('schedule.in', 'and schedule.at exclude each other; give one')
  }
  if (at !== undefined) return { type: 'at', at: parseInstant(at) }
  return delay === undefined ? { type: 'now' } : { type: 'in', in: parseDuration(delay) }
}

function createDetached(parts: Parts, executionId: ExecutionId, asked: ScheduleEvent): void {
  const { options } = parts.recorder
  const createdAt = options.wallNow()
  const { metadata } = options.created
  const event: CreatedEvent = {
    type: 'created',
    function: asked.function,
    ...inputOf(asked.input),
    scheduledAt: dueAt(asked.intent, createdAt),
    deploymentId: options.deploymentId,
    ...(metadata === undefined ? {} : { metadata }),
    scheduledBy: options.executionId,
  }
  parts.recorder.create({ executionId, createdAt, event })
}
