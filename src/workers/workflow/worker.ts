/**
 * Runs workflows: resumes or replays their code, turn by turn, writes down what it did, and lets
 * go of it when it waits. Nothing that user code does gets past this floor.
 */

import type { Codec } from '../../base/codec.ts'
import type { Logger } from '../../base/logger.ts'
import type { Clock, Scheduler } from '../../base/time.ts'
import type { Run, Worker, WorkerResult } from '../../engine/worker.ts'
import type { ExecutionEvent, Version } from '../../model/event.ts'
import type { DeploymentId, ExecutionId } from '../../model/ids.ts'
import type { FunctionDefinition, WorkflowDefinition } from '../definition.ts'
import { writeLine } from '../run-log.ts'
import type { FindPlace } from './call-places.ts'
import { Frame } from './frame.ts'
import { workflowGuard } from './guard.ts'
import type { FrameFault } from './recorder.ts'
import {
  fruitlessResult,
  resultOfAbort,
  resultOfEnd,
  resultOfFault,
  resultOfUpgradeFault,
  tooLongResult,
} from './run-result.ts'
import { appendWrites, recordStepEnds, withWait } from './run-writes.ts'
import { createScope } from './scope.ts'
import { StepRunner } from './step-runner.ts'
import { WarmRuns } from './warm-runs.ts'

/** Limits of workflows. */
export interface WorkflowLimits {
  readonly valueBytes: number
  readonly errorDetailBytes: number
  readonly eventsPerExecution: number
  readonly warmRuns: number
  readonly crashesWithoutProgress: number
}

/** What the worker stands on. */
export interface WorkflowWorkerOptions {
  readonly definitions: ReadonlyMap<string, FunctionDefinition>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly logger: Logger
  readonly codec: Codec
  readonly deploymentId: DeploymentId
  readonly limits: WorkflowLimits
  /** Where the code stands that calls; absent where that is not recorded. */
  readonly findPlace?: FindPlace | undefined
  /** A workflow that waits turns out to wait for something that is not of Stele. */
  readonly onParkedFault: (fault: ParkedFault) => void
}

/** What is wrong with a workflow that waits, and the version up to which that is known. */
export interface ParkedFault {
  readonly executionId: ExecutionId
  readonly version: Version
  readonly reason: string
}

/** Turns after which the event loop gets its turn. */
const turnsPerYield = 200
/** Events gathered by turns, up to which they are written together. */
const eventsPerAppend = 1_000

/** The worker for these workflows. */
export function createWorkflowWorker(options: WorkflowWorkerOptions): Worker {
  const warm = new WarmRuns(options.limits.warmRuns)
  return {
    run: (run) =>
      new Promise((resolve, reject) => {
        new WorkflowRun(run, options, warm).start(resolve, reject)
      }),
  }
}

/** One run of a workflow, from its lock to its end or its next wait. */
class WorkflowRun {
  readonly #run: Run
  readonly #options: WorkflowWorkerOptions
  readonly #warm: WarmRuns
  #steps: StepRunner | undefined
  #isOver = false
  #hasNews = false
  /** Something happened since the last wait for it. */
  #hasChanged = false
  #wake: (() => void) | undefined
  /** Version of the last event that is known here. */
  #version: Version
  #isUpgrading = false

  constructor(run: Run, options: WorkflowWorkerOptions, warm: WarmRuns) {
    this.#run = run
    this.#options = options
    this.#warm = warm
    this.#version = run.state.version
  }

  start(resolve: (result: WorkerResult) => void, reject: (cause: unknown) => void): void {
    const end = (result: WorkerResult): void => {
      this.#isOver = true
      resolve(result)
    }
    this.#run.onAbort((reason) => {
      this.#steps?.abort(reason)
      const result = resultOfAbort(reason)
      if (result === undefined) this.#notify()
      else end(result)
    })
    this.#drive().then(end, (cause: unknown) => {
      this.#isOver = true
      this.#steps?.abort('superseded')
      reject(cause)
    })
  }

  async #drive(): Promise<WorkerResult> {
    const definition = this.#options.definitions.get(this.#run.created.function.name)
    if (definition?.kind !== 'workflow' || definition.handler === undefined) {
      return { type: 'limit_reached', reason: 'the function has no implementation here' }
    }
    // Heard from now on: nothing falls between reading the inbox and listening.
    this.#run.history.onResponse(() => {
      this.#hasNews = true
      this.#notify()
    })
    const frame = await this.#resume(definition)
    const fruitless = frame.journal.fruitlessRuns()
    if (fruitless >= this.#options.limits.crashesWithoutProgress) return fruitlessResult(fruitless)
    this.#attach(frame)
    try {
      return await this.#advance(frame, this.#createSteps(frame))
    } finally {
      frame.logTo(undefined)
      const report = (): void => {
        this.#reportParked(frame)
      }
      frame.tellFault(report)
      // It may have come while the wait was being written.
      if (frame.fault() !== undefined) report()
    }
  }

  /** The code did something wrong while it was waiting, and nobody would look for a long time. */
  #reportParked(frame: Frame): void {
    const { executionId } = this.#run
    const version = this.#warm.versionOf(executionId)
    const fault = frame.fault()
    if (version === undefined || fault?.type !== 'foreign') return
    this.#warm.drop(executionId)
    const { reason } = fault
    // Told by a call of the workflow's code, in whose scope the engine must not work.
    workflowGuard.leave(() => {
      this.#options.onParkedFault({ executionId, version, reason })
    })
  }

  /** The frame that was kept, or a new one with the whole history to replay. */
  async #resume(definition: WorkflowDefinition): Promise<Frame> {
    const { executionId, state, history } = this.#run
    const { version } = definition.settings.id
    this.#isUpgrading = state.function.version !== version
    const kept = this.#warm.take(executionId, state.version - 1)
    if (kept !== undefined && !this.#isUpgrading) {
      kept.add([], await history.readResponses(kept.seen()))
      return kept
    }
    const frame = this.#createFrame(definition)
    // Right after `created` and `locked` there is nothing to replay.
    const events = state.version <= 1 ? [] : await history.readEvents(1)
    frame.add(events, await history.readResponses(0))
    return frame
  }

  #createFrame(definition: WorkflowDefinition): Frame {
    const { codec, limits, deploymentId, clock, definitions, logger } = this.#options
    const { executionId, created, state } = this.#run
    return new Frame({
      executionId,
      created,
      createdAt: state.createdAt,
      definition,
      codec,
      deploymentId,
      valueBytes: limits.valueBytes,
      errorDetailBytes: limits.errorDetailBytes,
      findFunction: (name) => definitions.get(name),
      wallNow: () => workflowGuard.leave(clock.now),
      findPlace: this.#options.findPlace,
      enter: (frame, run) => workflowGuard.run(createScope(frame, logger), run),
    })
  }

  #attach(frame: Frame): void {
    const { codec, logger } = this.#options
    frame.logTo((line) => {
      workflowGuard.leave(() => {
        writeLine(this.#run, { codec, logger }, line)
      })
    })
    frame.tellFault(() => {
      this.#notify()
    })
  }

  #createSteps(frame: Frame): StepRunner {
    const { clock, scheduler } = this.#options
    const steps = new StepRunner({
      frame,
      run: this.#run,
      clock,
      scheduler,
      leave: workflowGuard.leave,
      onChange: () => {
        this.#notify()
      },
    })
    this.#steps = steps
    return steps
  }

  /** Delivers, writes, waits for steps, until the run ends or has to wait for others. */
  async #advance(frame: Frame, steps: StepRunner): Promise<WorkerResult> {
    for (;;) {
      const result = (await this.#turns(frame)) ?? (await this.#rest(frame, steps))
      if (result !== undefined) return result
    }
  }

  /** Turns, until nothing is left to deliver; gives a result when the run ends before. */
  async #turns(frame: Frame): Promise<WorkerResult | undefined> {
    for (;;) {
      await this.#deliverAll(frame)
      if (this.#isOver) return { type: 'already_written' }
      if (frame.hasNext()) {
        // There is more than one transaction should hold.
        const ended = await this.#write(frame, false)
        if (ended !== undefined) return ended
      } else if (!(await this.#readNews(frame))) return undefined
    }
  }

  /** Nothing is left to deliver: ends, or goes on with steps. */
  async #rest(frame: Frame, steps: StepRunner): Promise<WorkerResult | undefined> {
    frame.checkAtRest()
    const fault = frame.fault()
    // Steps that the handler has left behind: their ends reach nobody.
    if (fault !== undefined || frame.end() !== undefined) steps.abort('superseded')
    if (fault !== undefined) return this.#resultOfFault(frame, fault)
    return frame.isClosed() ? this.#finish(frame) : this.#goOn(frame, steps)
  }

  /** Writes what there is, and parks, or waits for a step. */
  async #goOn(frame: Frame, steps: StepRunner): Promise<WorkerResult | undefined> {
    const hasEnds = steps.writeEnds()
    if (!this.#run.isClosing()) steps.startDue()
    const isIdle = !hasEnds && !steps.isBusy()
    const isParking = isIdle && frame.steps.requested().length === 0
    const ended = await this.#write(frame, isParking)
    if (ended !== undefined || hasEnds) return ended
    if (isParking) return { type: 'already_written' }
    // A step wants to run, and the engine takes no new work.
    if (isIdle) return { type: 'executor_closing' }
    await this.#change()
    return undefined
  }

  async #deliverAll(frame: Frame): Promise<void> {
    const { scheduler } = this.#options
    for (let turns = 1; frame.hasNext() && !this.#isOver; turns += 1) {
      frame.beginTurn()
      await new Promise<void>((resolve) => scheduler.onQuiet(resolve))
      frame.endTurn()
      if (turns % turnsPerYield === 0) {
        await new Promise<void>((resolve) => scheduler.soon(resolve))
      }
      if (frame.writesPending() >= eventsPerAppend) return
    }
  }

  /** Responses that came while it ran; true when there were some. */
  async #readNews(frame: Frame): Promise<boolean> {
    if (!this.#hasNews) return false
    this.#hasNews = false
    const responses = await this.#run.history.readResponses(frame.seen())
    frame.add([], responses)
    return responses.length > 0
  }

  /**
   * Writes what the turns have gathered, and that the run waits, if it does. Gives a result when
   * the run ends with it, or without.
   */
  async #write(frame: Frame, isParking: boolean): Promise<WorkerResult | undefined> {
    const { clock } = this.#options
    const createdAt = clock.now()
    const writes = frame.takeWrites()
    const upgrade = this.#isUpgrading ? [this.#upgraded()] : []
    const own = isParking ? withWait(writes.events, frame.seen(), createdAt) : writes.events
    const events = [...upgrade, ...own]
    const cancelled = writes.cancelledChildren.length + writes.cancelledDelays.length
    if (events.length + cancelled === 0) return undefined
    const { eventsPerExecution } = this.#options.limits
    if (this.#version + events.length >= eventsPerExecution)
      return tooLongResult(eventsPerExecution)
    const state = await appendWrites(this.#run.history, { ...writes, events }, createdAt)
    if (state === undefined) return { type: 'already_written' }
    this.#isUpgrading = false
    this.#version = state.version
    // What was cancelled with it has answered in the same transaction.
    if (cancelled > 0) this.#hasNews = true
    if (isParking) this.#warm.put(frame, state.version)
    else recordStepEnds(frame, { events, createdAt, version: state.version })
    return undefined
  }

  /** The handler has ended and nothing is open: the outcome. */
  async #finish(frame: Frame): Promise<WorkerResult> {
    const ended = await this.#write(frame, false)
    if (ended !== undefined) return ended
    // Rejections that nobody hears are told at the end of a turn of the event loop.
    const { scheduler } = this.#options
    await new Promise<void>((resolve) => scheduler.soon(resolve))
    const unheard = frame.firstUnheard()
    const end = frame.end() ?? { type: 'returned', value: undefined }
    const isUnheard = end.type === 'returned' && unheard !== undefined
    return resultOfEnd(frame.options, isUnheard ? { type: 'threw', ...unheard } : end)
  }

  async #resultOfFault(frame: Frame, fault: FrameFault): Promise<WorkerResult> {
    const { deploymentId } = this.#options
    const result = this.#isUpgrading
      ? resultOfUpgradeFault(frame.options, fault, deploymentId)
      : resultOfFault(frame.options, fault)
    if (result.type !== 'fatal_error' || fault.type === 'input_unreadable') return result
    frame.takeWrites()
    frame.cancelOpen()
    return (await this.#write(frame, false)) ?? result
  }

  #upgraded(): ExecutionEvent {
    const { definitions, deploymentId } = this.#options
    const definition = definitions.get(this.#run.created.function.name)
    const functionVersion = definition?.settings.id.version ?? this.#run.state.function.version
    return { type: 'upgrade_finished', functionVersion, deploymentId, result: 'success' }
  }

  /** Waits until a step has ended, a response may have come, or the run should end. */
  async #change(): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#hasChanged = false
  }

  #notify(): void {
    this.#hasChanged = true
    this.#wake?.()
  }
}
