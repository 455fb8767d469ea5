/**
 * The processes of a simulation: engines that boot, die and come back over one store, and a client
 * that lives for ever. What runs in them is the engine that users run.
 */

import type { Random } from '../base/random.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import { assembleEngine, type Engine } from '../client/create-engine.ts'
import { findDefinition } from '../workers/definition.ts'
import type { ActivitiesOptions } from './activities.ts'
import { simulateActivities } from './activities.ts'
import type { Choices } from './choices.ts'
import type { Faults } from './faults.ts'
import { type Kernel, type Life, simulationStart } from './kernel.ts'
import type { Functions, SimulationSettings } from './options.ts'
import { openProcessStorage } from './storage-faults.ts'
import type { Changes, Store, VersionsByName } from './store.ts'
import type { TraceKind } from './trace.ts'

/** What processes stand on. */
export interface ProcessesOptions {
  readonly settings: SimulationSettings
  readonly kernel: Kernel
  readonly choices: Choices
  readonly faults: Faults
  readonly store: Store
  readonly activities: ActivitiesOptions
  /** A process has committed. */
  readonly onCommit: (process: string, changes: Changes) => void
  readonly note: (process: string, kind: TraceKind, text: string) => void
  /** Lives for ever: what the world itself does later. */
  readonly world: Life
}

/** The processes of a simulation. */
export interface Processes {
  /** Never dies; its storage is slow and busy at most. */
  readonly client: () => Promise<Engine>
  readonly names: readonly string[]
  readonly isUp: (name: string) => boolean
  /** Dies at once; comes back by itself after a while, unless told to stay down. */
  readonly crash: (name: string, why: string, comesBack?: boolean) => void
  readonly boot: (name: string) => void
  /** Ends as it should; comes back by itself after a while, unless told to stay down. */
  readonly stop: (name: string, comesBack?: boolean) => Promise<void>
  readonly stall: (name: string, duration: Milliseconds) => void
  /** From their next boot on, engines run this code. */
  readonly deploy: (functions: Functions) => void
  /** Whether other code was deployed. */
  readonly hasDeployed: () => boolean
  /** What engines execute: stubs are ended by people. */
  readonly executed: () => VersionsByName
  readonly skewOf: (process: string) => Milliseconds
  /** Draws another distance between its wall clock and true time. */
  readonly jumpClock: (name: string) => void
  /** Everybody is started, and all clocks are right. */
  readonly heal: () => void
}

interface EngineProcess {
  readonly name: string
  generation: number
  life: Life | undefined
  engine: Engine | undefined
  staysDown: boolean
}

/** Graceful stops wait this long for handlers. */
const stopTimeout: Milliseconds = 1_000
/** A process that could not start is started again after this. */
const restartPause: Milliseconds = 500

/** Processes of which none runs yet. */
export function createProcesses(options: ProcessesOptions, count: number): Processes {
  return new SimulatedProcesses(options, count).face()
}

class SimulatedProcesses {
  readonly #options: ProcessesOptions
  readonly #engines: ReadonlyMap<string, EngineProcess>
  readonly #skews = new Map<string, Milliseconds>()
  readonly #drifts = new Map<string, number>()
  readonly #disk: { fullUntil: Instant } = { fullUntil: 0 }
  readonly #commits = new Map<string, number>()
  readonly #noticed = new Map<string, number>()
  #allCommits = 0
  #functions: Functions
  #executed: VersionsByName
  #client: Promise<Engine> | undefined

  constructor(options: ProcessesOptions, count: number) {
    this.#options = options
    this.#functions = options.settings.functions
    this.#executed = executedOf(this.#functions)
    const names = Array.from({ length: count }, (_, index) => `engine-${index}`)
    this.#engines = new Map(
      names.map((name) => [
        name,
        { name, generation: 0, life: undefined, engine: undefined, staysDown: false },
      ]),
    )
  }

  face(): Processes {
    return {
      client: () => this.client(),
      names: [...this.#engines.keys()],
      isUp: (name) => this.#engines.get(name)?.life !== undefined,
      crash: (name, why, comesBack) => this.crash(name, why, comesBack),
      boot: (name) => this.boot(name),
      stop: (name, comesBack) => this.stop(name, comesBack),
      stall: (name, duration) => this.stall(name, duration),
      deploy: (functions) => {
        this.#functions = functions
        this.#executed = executedOf(functions)
      },
      hasDeployed: () => this.#functions !== this.#options.settings.functions,
      executed: () => this.#executed,
      skewOf: (process) => this.#skewOf(process),
      jumpClock: (name) => this.jumpClock(name),
      heal: () => this.heal(),
    }
  }

  client(): Promise<Engine> {
    this.#client ??= this.#assemble('client', this.#options.kernel.createLife('client'), 'client')
    return this.#client
  }

  crash(name: string, why: string, comesBack = true): void {
    const process = this.#find(name)
    if (process?.life === undefined) return
    const { faults, note } = this.#options
    this.#end(process)
    note(name, 'crash', why)
    process.staysDown = !comesBack
    if (comesBack) this.#bootLater(process, faults.lengthOf('crash', faults.plan.downMax))
  }

  boot(name: string): void {
    const process = this.#find(name)
    if (process === undefined || process.life !== undefined) return
    process.staysDown = false
    process.generation += 1
    const { kernel, note } = this.#options
    if (!this.#options.faults.isHealed()) this.jumpClock(name)
    const life = kernel.createLife(name)
    process.life = life
    note(name, 'boot', `generation ${process.generation}`)
    this.#start(process, life).catch((cause: unknown) => {
      if (!life.isAlive()) return
      this.#end(process)
      note(name, 'crash', `could not start: ${cause instanceof Error ? cause.message : 'unknown'}`)
      this.#bootLater(process, restartPause)
    })
  }

  async stop(name: string, comesBack = true): Promise<void> {
    const process = this.#find(name)
    const { life, engine } = process ?? {}
    if (process === undefined || life === undefined || engine === undefined) return
    const { faults, note } = this.#options
    note(name, 'stop', 'begins to stop')
    process.engine = undefined
    const died = new Promise<void>((resolve) => {
      life.onEnd(resolve)
    })
    // Whoever dies while it stops never says that it has.
    await Promise.race([engine.stop({ timeout: stopTimeout }).catch(() => undefined), died])
    if (!life.isAlive()) return
    this.#end(process)
    note(name, 'stop', 'has stopped')
    process.staysDown = !comesBack
    if (comesBack) this.#bootLater(process, faults.lengthOf('restart', faults.plan.downMax))
  }

  stall(name: string, duration: Milliseconds): void {
    const life = this.#find(name)?.life
    if (life === undefined) return
    life.stall(this.#options.kernel.now() + duration)
    this.#options.note(name, 'fault', `its event loop stands still for ${duration} ms`)
  }

  jumpClock(name: string): void {
    const { faults, choices, note } = this.#options
    const { skew, drift } = faults.plan
    if (skew > 0) {
      const next = Math.ceil(skew * shareOf(choices.choose('skew', skewSteps)))
      this.#skews.set(name, next)
      if (next !== 0) note(name, 'fault', `its clock is ${next} ms off`)
    }
    if (drift > 0) this.#drifts.set(name, drift * shareOf(choices.choose('drift', skewSteps)))
  }

  #skewOf(process: string): Milliseconds {
    const drift = this.#drifts.get(process) ?? 0
    const skew = this.#skews.get(process) ?? 0
    if (drift === 0) return skew
    return skew + Math.round(((this.#options.kernel.now() - simulationStart) * drift) / 1_000_000)
  }

  heal(): void {
    this.#disk.fullUntil = 0
    this.#skews.clear()
    this.#drifts.clear()
    for (const process of this.#engines.values()) this.boot(process.name)
  }

  #find(name: string): EngineProcess | undefined {
    return this.#engines.get(name)
  }

  #end(process: EngineProcess): void {
    process.life?.end()
    process.life = undefined
    process.engine = undefined
  }

  #bootLater(process: EngineProcess, delay: Milliseconds): void {
    this.#options.world.scheduler.after(delay, () => {
      if (!process.staysDown) this.boot(process.name)
    })
  }

  async #start(process: EngineProcess, life: Life): Promise<void> {
    const engine = await this.#assemble(process.name, life, 'engine')
    await engine.start()
    process.engine = engine
  }

  async #assemble(name: string, life: Life, role: 'engine' | 'client'): Promise<Engine> {
    const { settings, choices, activities, world } = this.#options
    const generation = this.#find(name)?.generation ?? 0
    const random = choices.random(`${name}/${generation}`)
    const storage = this.#storage(life, random, role)
    const { executor, timersWatcher, limits, codec } = settings.engines
    const functions = simulateActivities(this.#functions, life, activities)
    const engine = await assembleEngine(
      {
        storage: { open: () => Promise.resolve(storage.driver) },
        functions,
        executor,
        timersWatcher,
        limits,
        codec,
        clock: life.clock,
        scheduler: life.scheduler,
        random,
        logger: settings.logger,
        inspect: settings.inspect,
      },
      {
        host: { hostname: name, pid: generation },
        fetch: (resource, init) => fetch(resource, init),
        // The simulation guards workflow code itself, from its beginning to its end.
        installGuard: () => () => undefined,
      },
    )
    // Later: the connection may be in use by the step in which its process dies.
    life.onEnd(() => world.scheduler.soon(storage.disconnect))
    return engine
  }

  #storage(
    life: Life,
    random: Random,
    role: 'engine' | 'client',
  ): ReturnType<typeof openProcessStorage> {
    const { store, faults, kernel, onCommit, note } = this.#options
    const { process } = life
    this.#noticed.set(process, this.#foreignCommits(process))
    return openProcessStorage({
      store,
      life,
      random,
      faults,
      role,
      now: kernel.now,
      disk: this.#disk,
      takeForeign: () => this.#takeForeign(process),
      crash: (why) => this.crash(process, why),
      onCommit: (changes) => {
        if (changes.matters) this.#countCommit(process)
        onCommit(process, changes)
      },
      onFault: (fault) => note(process, 'fault', fault),
    })
  }

  #countCommit(process: string): void {
    this.#allCommits += 1
    this.#commits.set(process, (this.#commits.get(process) ?? 0) + 1)
  }

  #foreignCommits(process: string): number {
    return this.#allCommits - (this.#commits.get(process) ?? 0)
  }

  #takeForeign(process: string): boolean {
    const foreign = this.#foreignCommits(process)
    const hasNew = foreign !== this.#noticed.get(process)
    this.#noticed.set(process, foreign)
    return hasNew
  }
}

function executedOf(functions: Functions): VersionsByName {
  const executed = functions.filter((fn) => findDefinition(fn)?.handler !== undefined)
  return Object.fromEntries(executed.map(({ name, version }) => [name, version]))
}

/** Distances of clocks: none, then ahead and behind in turn. */
const skewSteps = 17

/** From 0 to 1, and to -1. */
function shareOf(choice: number): number {
  const share = Math.ceil(choice / 2) / ((skewSteps - 1) / 2)
  return choice % 2 === 1 ? share : -share
}
