/** `createEngine`: the composition root. Everything is built and handed down here. */

import { pino } from 'pino'
import type { InspectionEvent } from 'xstate'
import { defaultCodec } from '../base/codec.ts'
import { guard, guardLogger, type Logger, silentLogger } from '../base/logger.ts'
import { invalidOption, readMember, readOptions } from '../base/options.ts'
import { createSystemRandom } from '../base/random.ts'
import {
  type Duration,
  type Milliseconds,
  parseDuration,
  systemClock,
  systemScheduler,
} from '../base/time.ts'
import { createUlids } from '../base/ulid.ts'
import type { EngineContext, Inspector } from '../engine/engine-context.ts'
import { type DeploymentId, newDeploymentId, parseDeploymentId } from '../model/ids.ts'
import { createNotifications } from '../storage/notifications.ts'
import { createStorage } from '../storage/storage.ts'
import { type FunctionDefinition, findDefinition } from '../workers/definition.ts'
import {
  type AnyFunction,
  type Implemented,
  isFunctionRef,
  type NameOf,
} from '../workers/function-ref.ts'
import { workflowGuard } from '../workers/workflow/guard.ts'
import { createCheckedClock, createSteadyClock } from './checked-clock.ts'
import { type Client, createClient } from './client.ts'
import {
  type ClientContext,
  createStopSwitch,
  shareContext,
  stoppedError,
} from './client-context.ts'
import {
  type EngineOptions,
  engineDefaults,
  readEngineOptions,
  resolveEngineOptions,
} from './engine-options.ts'
import { createParts, type Parts } from './engine-parts.ts'
import { createLookout } from './lookout.ts'
import { openStorage } from './open-storage.ts'

/** Functions by their names. */
export type FunctionsByName<F extends AnyFunction> = { readonly [G in F as NameOf<G>]: G }

/** Storage, client, executors and timers watcher in one process. */
export interface Engine<Functions = object> extends Client, AsyncDisposable {
  /** The functions given, by name. */
  readonly functions: Functions
  /** Begins to execute. Idempotent; rejects with `engine_stopped` after `stop`. */
  readonly start: () => Promise<void>
  /**
   * Takes no new work, waits up to `timeout` (default 30 seconds) for handlers, then aborts their
   * signals, and a second later gives their locks back, uncounted. Idempotent.
   */
  readonly stop: (options?: { readonly timeout?: Duration | undefined }) => Promise<void>
}

/**
 * Opens the storage and builds an engine; nothing runs before `start`. Rejects with
 * `invalid_option`, `invalid_name` or what opening the storage throws.
 */
export async function createEngine<const Fs extends readonly (AnyFunction & Implemented)[] = []>(
  options: EngineOptions<Fs>,
): Promise<Engine<FunctionsByName<Fs[number]>>> {
  const given = readEngineOptions(options)
  const settings = resolveEngineOptions(given)
  const definitions = collectDefinitions(given.functions ?? [])
  const clock = createCheckedClock(given.clock ?? systemClock)
  // Asked before anything is opened: a clock that cannot tell the time leaves nothing behind.
  const steady = createSteadyClock(clock)
  const random = given.random ?? createSystemRandom()
  const scheduler = given.scheduler ?? systemScheduler
  const mintUlid = createUlids(steady, random)
  const deploymentId = resolveDeployment(given.deployment, mintUlid)
  const driver = await openStorage(given.storage, { clock: steady, random, scheduler })
  const { hasForeignChanges } = driver
  const storage = createStorage(driver, createNotifications({ scheduler, hasForeignChanges }))
  const stopSwitch = createStopSwitch()
  const surroundings = { storage, clock, scheduler, mintUlid, deploymentId }
  const client: ClientContext = {
    ...surroundings,
    ...stopSwitch,
    codec: given.codec ?? defaultCodec,
    lookout: createLookout({ storage, scheduler }),
    definitions,
    limits: settings.limits,
  }
  const context: EngineContext = {
    ...surroundings,
    clock: steady,
    logger: resolveLogger(given.logger),
    inspect: guardInspector(given.inspect),
  }
  const guardsGlobals = given.guard ?? true
  const parts = createParts({ context, settings, definitions, client })
  const engine = {
    ...createClient(client),
    ...createLifecycle({ parts, client, stopSwitch, definitions, guardsGlobals }),
    functions: byName<Fs>(given.functions),
  }
  shareContext(engine, { ...client, permits: parts.permits })
  const { inspect } = given
  if (typeof inspect === 'object') guard(() => inspect.attach?.(engine))
  return engine
}

interface LifecycleOptions {
  readonly parts: Parts
  readonly client: ClientContext
  readonly stopSwitch: ReturnType<typeof createStopSwitch>
  readonly definitions: ReadonlyMap<string, FunctionDefinition>
  /** Whether globals are guarded inside workflow code. */
  readonly guardsGlobals: boolean
}

function createLifecycle(
  options: LifecycleOptions,
): Pick<Engine, 'start' | 'stop' | typeof Symbol.asyncDispose> {
  const { parts, client, stopSwitch, guardsGlobals } = options
  let releaseGuard = (): void => undefined
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  const start = async (): Promise<void> => {
    await registerFunctions(options)
    if (stopping !== undefined) return
    if (parts.hasWorkflows) releaseGuard = workflowGuard.install({ globals: guardsGlobals })
    for (const executor of parts.executors) executor.start()
    parts.watcher.start()
  }
  const stop = async (limit: Milliseconds): Promise<void> => {
    await starting?.catch(() => undefined)
    await Promise.all(parts.executors.map((executor) => executor.close(limit)))
    await parts.watcher.close()
    releaseGuard()
    stopSwitch.stop()
    await client.storage.close()
  }
  // Async, so that a timeout that is no duration rejects, and the engine can still be stopped.
  const stopOnce: Engine['stop'] = async (given = {}) => {
    const { timeout = engineDefaults.stopTimeout } = readOptions(given, ['timeout'], 'stop')
    const limit = parseDuration(timeout)
    stopping ??= stop(limit)
    await stopping
  }
  return {
    start: () => {
      if (stopping !== undefined) return Promise.reject(stoppedError())
      starting ??= start().catch((cause: unknown) => {
        // Nothing runs yet: when the storage is back, it can be tried again.
        starting = undefined
        throw cause
      })
      return starting
    },
    stop: stopOnce,
    [Symbol.asyncDispose]: () => stopOnce(),
  }
}

async function registerFunctions({ client, definitions }: LifecycleOptions): Promise<void> {
  const now = client.clock.now()
  const registered = [...definitions.values()].map(({ settings }) => ({
    function: settings.id,
    firstSeenAt: now,
    lastSeenAt: now,
  }))
  if (registered.length > 0) await client.storage.registerFunctions(registered)
}

function collectDefinitions(
  functions: readonly (AnyFunction & Implemented)[],
): ReadonlyMap<string, FunctionDefinition> {
  const definitions = new Map<string, FunctionDefinition>()
  for (const [index, fn] of functions.entries()) {
    const isDefined = isFunctionRef(fn) && readMember(fn, 'implemented') === true
    const definition = isDefined ? findDefinition(fn) : undefined
    if (definition === undefined) {
      throw invalidOption(
        `functions[${index}]`,
        'must be what `defineActivity` or `defineWorkflow` with a handler gave',
      )
    }
    const { name } = definition.settings.id
    if (definitions.has(name))
      throw invalidOption(`functions[${index}]`, `repeats the name ${name}`)
    definitions.set(name, definition)
  }
  return definitions
}

function byName<Fs extends readonly AnyFunction[]>(
  functions: Fs | undefined,
): FunctionsByName<Fs[number]> {
  const entries = (functions ?? []).map((fn) => [fn.name, fn] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keyed by the literal names
  return Object.fromEntries(entries) as unknown as FunctionsByName<Fs[number]>
}

function resolveDeployment(deployment: string | undefined, mintUlid: () => string): DeploymentId {
  if (deployment === undefined) return newDeploymentId(mintUlid())
  const parsed = parseDeploymentId(deployment)
  if (parsed.ok) return parsed.value
  throw invalidOption('deployment', 'must be 1 to 128 of A-Z a-z 0-9 - _ : @ /')
}

function resolveLogger(logger: Logger | false | undefined): Logger {
  if (logger === false) return silentLogger
  return guardLogger(logger ?? pino({ name: 'stele', level: 'warn' }))
}

function guardInspector(
  inspect: Inspector | undefined,
): ((event: InspectionEvent) => void) | undefined {
  if (inspect === undefined) return undefined
  const tell =
    typeof inspect === 'function'
      ? inspect
      : (event: InspectionEvent): unknown => inspect.next?.(event)
  return (event) => {
    guard(() => {
      const told: unknown = tell(event)
      // An observer that is an async function rejects instead of throwing.
      if (told instanceof Promise) told.catch(() => undefined)
    })
  }
}
