/** One execution, locked and held, with everything around it in a test's hands. */

import { type ActorLogic, type AnyMachineSnapshot, createActor } from 'xstate'
import { executorMachine } from '../../../machines/executor.ts'
import {
  type LockedExecutionEvent,
  lockedExecutionMachine,
} from '../../../machines/locked-execution.ts'
import { compile } from '../../../src/engine/compile.ts'
import type { EngineFunction } from '../../../src/engine/engine-function.ts'
import {
  type HeldExecution,
  type HeldOptions,
  holdExecution,
} from '../../../src/engine/held-execution.ts'
import { firstLockLength } from '../../../src/engine/lock-times.ts'
import { createProblemLog } from '../../../src/engine/problem-log.ts'
import { createRunLogBuffer } from '../../../src/engine/run-log-buffer.ts'
import type { LockedExecution } from '../../../src/storage/lock.ts'
import { lockRequest, lockTarget } from '../../support/storage/requests.ts'
import { present } from '../../support/storage/results.ts'
import { createActivity, createWorkflow } from '../../support/storage/steps.ts'
import { activityFunction, createOpenWorker, eventsOf, type OpenWorker } from './builders.ts'
import { openSurroundings, type Surroundings, type SurroundingsOptions } from './surroundings.ts'

/** The logic of held executions, compiled. */
const heldLogic: ActorLogic<AnyMachineSnapshot, LockedExecutionEvent> =
  compile<LockedExecutionEvent>(lockedExecutionMachine).logic()

/** An executor's actor that does nothing: the parent of what is held. */
export function idleParent(): HeldOptions['parent'] {
  return createActor(executorMachine)
}

/** Locks what is due of one function, as its executor does; exactly one. */
async function lockOne(
  { store, clock, done }: Surroundings,
  settings: EngineFunction,
): Promise<LockedExecution> {
  const { id, retry, strategy } = settings
  const lockExpiry = firstLockLength(settings)
  const targets = [lockTarget({ function: id, retry, strategy, lockExpiry, limit: 1 })]
  const { locked } = await done(store.lockDue(() => lockRequest(clock.now(), { targets })))
  return present(locked[0], 'the lock')
}

/** What a test may say of the held execution. */
export interface HeldPart extends SurroundingsOptions {
  readonly settings?: Partial<EngineFunction>
  readonly worker?: OpenWorker
  readonly options?: Partial<HeldOptions>
}

/** Everything around one held execution. */
export interface HeldSurroundings extends Surroundings {
  readonly held: HeldExecution
  readonly worker: OpenWorker
  readonly lock: LockedExecution
  readonly settings: EngineFunction
  readonly stragglers: Promise<unknown>[]
  /** Type and instant of each event after `created` and `locked`. */
  readonly written: () => Promise<readonly (readonly [string, number])[]>
  /** The state of its actor. */
  readonly value: () => unknown
}

/** The execution `a`, locked at the present instant. */
export async function openHeld(part: HeldPart = {}): Promise<HeldSurroundings> {
  const surroundings = await openSurroundings(part)
  const { store, done, context, log, scheduler } = surroundings
  const settings = activityFunction(part.settings)
  const isActivity = settings.id.kind === 'activity'
  await done(isActivity ? createActivity(store, 'a') : createWorkflow(store, 'a'))
  const lock = await lockOne(surroundings, settings)
  const worker = part.worker ?? createOpenWorker()
  const stragglers: Promise<unknown>[] = []
  const held = holdExecution({
    context,
    lock,
    settings,
    worker,
    logLinesMax: 3,
    parent: idleParent(),
    logic: heldLogic,
    logs: createRunLogBuffer({
      storage: context.storage,
      scheduler,
      problems: createProblemLog(context, 'Logs'),
      onDropped: () => undefined,
    }),
    problems: createProblemLog(context, 'Results'),
    onStraggler: (end) => stragglers.push(end),
    isClosing: () => false,
    ...part.options,
  })
  const written = async () => {
    await scheduler.settle()
    const events = await eventsOf(store, 'a')
    return events.slice(2).map(({ event, createdAt }) => [event.type, createdAt] as const)
  }
  const value = (): unknown => {
    const snapshot: { readonly value?: unknown } = held.actor.getSnapshot()
    return snapshot.value
  }
  log.length = 0
  return { ...surroundings, held, worker, lock, settings, stragglers, written, value }
}

/** Lets time pass in steps, attending as the executor's set does. */
export async function attendFor(
  { held, clock, scheduler }: HeldSurroundings,
  duration: number,
): Promise<void> {
  const end = clock.now() + duration
  for (let next = held.attend(clock.now()); next <= end; next = held.attend(clock.now())) {
    await scheduler.advance(Math.max(0, next - clock.now()))
  }
  await scheduler.advance(end - clock.now())
}
