/** What runs in an engine: an executor with its worker for each kind, and the timers watcher. */

import type { EngineContext } from '../engine/engine-context.ts'
import type { EngineFunction } from '../engine/engine-function.ts'
import { createExecutor, type Executor, type ExecutorOptions } from '../engine/executor.ts'
import { createPermits, type Permits } from '../engine/permits.ts'
import { createTimersWatcher, type TimersWatcher } from '../engine/timers-watcher.ts'
import type { Worker } from '../engine/worker.ts'
import { createActivityWorker } from '../workers/activity/worker.ts'
import type { FunctionDefinition } from '../workers/definition.ts'
import type { FindPlace } from '../workers/workflow/call-places.ts'
import { workflowGuard } from '../workers/workflow/guard.ts'
import { createSourceLines } from '../workers/workflow/source-lines.ts'
import { createWorkflowWorker, type ParkedFault } from '../workers/workflow/worker.ts'
import type { ClientContext, PermitCount } from './client-context.ts'
import type { EngineSettings } from './engine-options.ts'
import { currentFolder, currentHost } from './host.ts'

/** What runs in an engine. */
export interface Parts {
  readonly executors: readonly Executor[]
  readonly watcher: TimersWatcher
  readonly hasWorkflows: boolean
  /** Runs that each executor may have at once, and could still take, by its id. */
  readonly permits: () => ReadonlyMap<string, PermitCount>
}

/** What they are built from. */
export interface PartsOptions {
  readonly context: EngineContext
  readonly settings: EngineSettings
  readonly definitions: ReadonlyMap<string, FunctionDefinition>
  readonly client: ClientContext
}

/** Builds executors and timers watcher; nothing runs yet. */
export function createParts(options: PartsOptions): Parts {
  const { context, settings, definitions } = options
  const executed = [...definitions.values()].filter(({ handler }) => handler !== undefined)
  const functions = executed.map((definition) => engineFunction(definition, settings))
  const limited = functions.flatMap(({ id, concurrency }) =>
    concurrency === undefined ? [] : [[id.name, concurrency] as const],
  )
  const permits = { total: settings.concurrency, perFunction: new Map(limited) }
  const { limits } = settings
  const shared = {
    context,
    host: currentHost(),
    settings: {
      batchSize: settings.batchSize,
      tickSleep: settings.tickSleep,
      stragglersMax: limits.stragglers,
      logLinesMax: limits.logLinesPerRun,
    },
  }
  const activities = functions.filter(({ id }) => id.kind === 'activity')
  const workflows = functions.filter(({ id }) => id.kind === 'workflow')
  const executors: Executor[] = []
  const stocks = new Map<string, Permits>()
  const add = (own: Pick<ExecutorOptions, 'kind' | 'functions' | 'worker'>): void => {
    // Permits of their own: activities that take long must not keep workflows from going on.
    const stock = createPermits(permits)
    const executor = createExecutor({ ...shared, ...own, permits: stock })
    executors.push(executor)
    stocks.set(executor.executorId, stock)
  }
  if (activities.length > 0) {
    add({ kind: 'activities', functions: activities, worker: activityWorker(options) })
  }
  if (workflows.length > 0) {
    add({ kind: 'workflows', functions: workflows, worker: workflowWorker(options) })
  }
  const watcher = createTimersWatcher({
    context,
    settings: { tickSleep: settings.watcherTickSleep, leeway: settings.watcherLeeway },
  })
  const { total } = permits
  const countPermits = (): ReadonlyMap<string, PermitCount> =>
    new Map([...stocks].map(([id, stock]) => [id, { total, free: stock.free() }]))
  return { executors, watcher, hasWorkflows: workflows.length > 0, permits: countPermits }
}

function activityWorker({ context, settings, definitions, client }: PartsOptions): Worker {
  const { limits } = settings
  return createActivityWorker({
    definitions,
    limits,
    environment: {
      clock: context.clock,
      logger: context.logger,
      codec: client.codec,
      // Looked up with each call, so that whoever replaces it later is heard.
      fetch: (resource, init) => fetch(resource, init),
      httpTracesMax: limits.httpTracesPerAttempt,
    },
  })
}

function workflowWorker({ context, settings, definitions, client }: PartsOptions): Worker {
  const { clock, scheduler, logger, deploymentId } = context
  const { limits } = settings
  const surroundings = { clock, scheduler, logger, deploymentId, codec: client.codec }
  const onParkedFault = (fault: ParkedFault): void => {
    logger.error(
      { ...fault },
      'A workflow is paused: its code waits for something that is not of Stele',
    )
    pauseParked(context, fault).catch((cause: unknown) => {
      logger.error({ ...fault, err: cause }, 'That workflow could not be paused')
    })
  }
  const findPlace = settings.sourceLines ? sourceLines(context, limits.sourceBytes) : undefined
  return createWorkflowWorker({ ...surroundings, definitions, limits, findPlace, onParkedFault })
}

/** Asked by the code of workflows, in whose scope the engine must not work. */
function sourceLines({ storage, clock, logger }: EngineContext, sourceBytes: number): FindPlace {
  return createSourceLines({
    folder: currentFolder(),
    sourceBytes,
    keep: (source) =>
      workflowGuard.leave(async () => {
        try {
          await storage.keepSource(source, clock.now())
        } catch (cause) {
          const { file } = source
          logger.warn({ file, err: cause }, 'The text of a source file could not be kept')
          throw cause
        }
      }),
  })
}

/** Pauses, unless the log has moved on: then whoever moved it will meet the same fault. */
async function pauseParked(
  { storage, clock }: EngineContext,
  { executionId, version, reason }: ParkedFault,
): Promise<void> {
  const paused = { type: 'paused', reason } as const
  const events = [{ event: paused, createdAt: clock.now() }]
  await storage.append({ executionId, version: version + 1, events })
}

function engineFunction({ settings }: FunctionDefinition, engine: EngineSettings): EngineFunction {
  const { id, retry, timeout, concurrency } = settings
  const lockExpiry = settings.lockExpiry ?? engine.lockExpiry
  // A workflow of another version is replayed first, so its lock leaves the version as it is.
  const strategy = id.kind === 'activity' ? engine.lockingStrategy : 'auto'
  return { id, retry, timeout, lockExpiry, concurrency, strategy }
}
