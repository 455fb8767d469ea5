/**
 * One run of a simulation: builds the world, lets the scenario and the faults loose, heals, waits
 * until everything has come to rest, and says what it saw.
 */

import type { Random } from '../base/random.ts'
import type { Instant } from '../base/time.ts'
import { workflowGuard } from '../workers/workflow/guard.ts'
import { type Chaos, createChaos } from './chaos.ts'
import { type Checker, createChecker, type Violation } from './checker.ts'
import { type Choices, createChoices, type Tapes } from './choices.ts'
import { describeChange } from './describe-change.ts'
import { engineInvariants } from './engine-invariants.ts'
import { createFaults, drawPlan, type Faults } from './faults.ts'
import { createInFlight } from './in-flight.ts'
import { createKernel, type Kernel, type Life, simulationStart } from './kernel.ts'
import { createLedger, type Ledger, type LedgerEntry } from './ledger.ts'
import type { SimulationSettings } from './options.ts'
import { createPollSkipping, type PollSkipping } from './poll-skipping.ts'
import { createProcesses, type Processes } from './processes.ts'
import { findPartedReplays } from './replays.ts'
import { failureOf, type SimulationFailure, uncaughtFailure } from './simulation-error.ts'
import { type Changes, openStore, type Store } from './store.ts'
import { createPatience, findStuck } from './stuck.ts'
import { createTrace, type Trace, type TraceKind, type TraceLine } from './trace.ts'
import { createVirtualGlobals, type VirtualScope } from './virtual-globals.ts'
import { createWorld, type World } from './world.ts'

/** What a scenario is: the part of the user's application. */
export type Scenario = (world: World) => unknown

/** What a run gave. */
export interface RunResult {
  readonly failure: SimulationFailure | undefined
  readonly tapes: Tapes
  readonly steps: number
  /** How much time has passed in the simulation. */
  readonly simulatedMs: number
  readonly traceHash: string
  readonly marks: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly commits: number
  readonly executions: number
  readonly ledger: readonly LedgerEntry[]
  readonly lines: readonly TraceLine[]
  /** The database at the end, as a file would hold it. */
  readonly database: Uint8Array | undefined
}

/** Runs once. Whoever calls it sees to it that nobody else does at the same time. */
export function runSimulation(
  settings: SimulationSettings,
  scenario: Scenario,
): Promise<RunResult> {
  return new SimulationRun(settings).run(scenario)
}

class SimulationRun {
  readonly #settings: SimulationSettings
  readonly #choices: Choices
  readonly #faults: Faults
  readonly #kernel: Kernel
  readonly #store: Store
  readonly #ledger: Ledger
  readonly #checker: Checker
  readonly #processes: Processes
  readonly #world: Life
  readonly #trace: Trace = createTrace()
  readonly #marks = new Map<string, number>()
  readonly #inFlight = createInFlight((...line) => this.#note(...line))
  readonly #polls: PollSkipping
  readonly #chaos: Chaos
  readonly #nextCommit: (() => void)[] = []
  /** What code of users draws from Math. */
  readonly #randoms = new Map<Life, Random>()
  #failure: SimulationFailure | undefined
  #commits = 0

  constructor(settings: SimulationSettings) {
    const { seed, tapes, engineCounts } = settings
    this.#settings = settings
    this.#choices = createChoices({ seed, tapes })
    this.#faults = createFaults(drawPlan(settings.faults, this.#choices), this.#choices)
    const [min, max] = engineCounts
    const count = min + this.#choices.choose('engines', max - min + 1)
    const isPatient = settings.faults.swarm === true && this.#choices.choose('polls', 8) === 7
    const skipsPolls = settings.skipsPolls ?? !isPatient
    this.#store = openStore(settings.store)
    this.#kernel = this.#createKernel()
    this.#polls = this.#createPolls(skipsPolls)
    this.#world = this.#kernel.createLife('world')
    this.#ledger = createLedger(() => this.#whereNow())
    this.#checker = createChecker({
      store: this.#store,
      ledger: this.#ledger,
      invariants: [...engineInvariants(settings), ...settings.invariants],
      now: this.#kernel.now,
    })
    this.#processes = createProcesses(this.#processesOptions(), count)
    this.#chaos = createChaos({
      faults: this.#faults,
      processes: this.#processes,
      store: this.#store,
      world: this.#world,
      onRestored: () => {
        this.#polls.onCommit('world')
        this.#checker.reset(this.#store.listExecutions())
        this.#note('world', 'fault', 'the last commits are lost')
      },
    })
  }

  async run(scenario: Scenario): Promise<RunResult> {
    const globals = createVirtualGlobals(() => this.#virtualScope())
    globals.install()
    const releaseGuard = workflowGuard.install({ globals: true })
    try {
      await this.#play(scenario)
      return this.#result()
    } catch (cause) {
      this.#fail(failureOf(cause, this.#place()))
      return this.#result()
    } finally {
      releaseGuard()
      globals.uninstall()
      this.#store.close()
    }
  }

  async #play(scenario: Scenario): Promise<void> {
    const { chaosSteps, chaosTime } = this.#settings
    let isOver = false
    this.#world.scheduler.soon(() => {
      for (const name of this.#processes.names) this.#processes.boot(name)
      this.#playScenario(scenario).then(
        () => {
          isOver = true
        },
        (thrown: unknown) => {
          isOver = true
          this.#fail(failureOf(thrown, this.#place()))
        },
      )
    })
    const isDone = (): boolean => isOver || this.#failure !== undefined
    await this.#kernel.run({ isDone, steps: chaosSteps, until: simulationStart + chaosTime })
    this.#heal()
    await this.#rest(() => isOver)
    if (this.#failure !== undefined) return
    for (const each of this.#checker.atEnd()) this.#violate(each)
    if (!this.#settings.checksReplay || this.#processes.hasDeployed()) return
    for (const each of await findPartedReplays(await this.#processes.client(), this.#settings)) {
      this.#violate(each)
    }
  }

  async #playScenario(scenario: Scenario): Promise<void> {
    const client = await this.#processes.client()
    const clientLife = this.#kernel.createLife('client')
    const world = createWorld({
      kernel: this.#kernel,
      client,
      clientLife,
      processes: this.#processes,
      faults: this.#faults,
      choices: this.#choices,
      ledger: this.#ledger,
      marks: this.#marks,
      spoil: (id) => {
        this.#checker.forgive(id)
        this.#store.spoil(id)
      },
      note: (...line) => this.#note(...line),
      onNextCommit: (callback) => {
        this.#nextCommit.push(callback)
      },
    })
    await scenario(world)
  }

  /** From here on nothing goes wrong: now everything has to come to its end. */
  #heal(): void {
    if (this.#failure !== undefined) return
    this.#note('world', 'phase', 'everything heals')
    this.#faults.heal()
    this.#processes.heal()
    this.#kernel.wakePolls()
  }

  async #rest(isOver: () => boolean): Promise<void> {
    const { steps, restTime } = this.#settings
    const find = (): readonly string[] =>
      findStuck({
        executions: this.#checker.executions(),
        functions: this.#processes.executed(),
        now: this.#kernel.now(),
      })
    const isVain = createPatience({ steps: this.#kernel.steps, commits: () => this.#commits, find })
    const isDone = (): boolean => this.#failure !== undefined || isVain()
    const end = await this.#kernel.run({ isDone, steps, until: this.#kernel.now() + restTime })
    if (this.#failure !== undefined) return
    const busy = end === 'out_of_steps' ? [`it is still busy after ${steps} steps`] : []
    const waiting = isOver() ? [] : ['the scenario waits for something that does not come']
    const outside = isOver() ? [] : this.#inFlight.describe()
    const reasons = [...busy, ...find(), ...waiting, ...outside]
    if (reasons.length === 0) return
    this.#fail({
      kind: outside.length > 0 ? 'outside' : 'liveness',
      invariant: 'everything comes to an end once nothing goes wrong any more',
      message: reasons.join('\n'),
      ...this.#place(),
    })
  }

  // ── what the kernel asks ──────────────────────────────────────────────────────────────────────

  #createKernel(): Kernel {
    const reorders = (): boolean => this.#faults.happens('reorder')
    return createKernel({
      start: simulationStart,
      pick: (count) => (count > 1 && reorders() ? this.#faults.pick('reorder', count) : 0),
      skewOf: (process) => this.#processes.skewOf(process),
      putOff: (poll) => this.#polls.putOff(poll),
      beforeStep: () => {
        this.#chaos.beforeStep()
      },
      onThrow: (process, cause) => {
        this.#fail(uncaughtFailure(process, cause, this.#place()))
      },
    })
  }

  #createPolls(skipsPolls: boolean): PollSkipping {
    const { rates, slowMax } = this.#faults.plan
    return createPollSkipping({
      skips: () => skipsPolls || this.#faults.isHealed(),
      now: this.#kernel.now,
      nextDueAt: () => this.#store.nextDueAt(this.#processes.executed()),
      slowMax: rates.slow > 0 || rates.lateRead > 0 ? slowMax : 0,
    })
  }

  // ── what processes tell ───────────────────────────────────────────────────────────────────────

  #processesOptions(): Parameters<typeof createProcesses>[0] {
    return {
      settings: this.#settings,
      kernel: this.#kernel,
      choices: this.#choices,
      faults: this.#faults,
      store: this.#store,
      world: this.#world,
      activities: {
        choices: this.#choices,
        ledger: this.#ledger,
        replacements: this.#settings.activities,
        onBegin: this.#inFlight.begin,
        onEnd: this.#inFlight.end,
      },
      onCommit: (process, changes) => this.#onCommit(process, changes),
      note: (...line) => this.#note(...line),
    }
  }

  #onCommit(process: string, { executions, matters }: Changes): void {
    if (!matters) return
    this.#commits += 1
    this.#polls.onCommit(process)
    const { changes, violations } = this.#checker.afterCommit(process, executions)
    for (const text of changes.flatMap(describeChange)) this.#note(process, 'commit', text)
    for (const violation of violations) this.#violate(violation)
    this.#kernel.wakePolls()
    for (const callback of this.#nextCommit.splice(0)) callback()
    this.#chaos.afterCommit()
  }

  // ── what it came to ───────────────────────────────────────────────────────────────────────────

  #lifeNow(): Life | undefined {
    return this.#kernel.current()
  }

  #whereNow(): { readonly at: Instant; readonly process: string } | undefined {
    const life = this.#lifeNow()
    if (life?.isAlive() === false) return undefined
    return { at: this.#kernel.now(), process: life?.process ?? 'world' }
  }

  #virtualScope(): VirtualScope | undefined {
    const life = this.#lifeNow()
    if (life === undefined) return undefined
    const random =
      this.#randoms.get(life) ??
      this.#choices.random(`code of ${life.process}/${this.#randoms.size}`)
    this.#randoms.set(life, random)
    return { life, random }
  }

  #place(): { readonly at: Instant; readonly step: number } {
    return { at: this.#kernel.now(), step: this.#kernel.steps() }
  }

  #note(process: string, kind: TraceKind, text: string): void {
    const { at, step } = this.#place()
    this.#trace.add({ at: at - simulationStart, step, process, kind, text })
  }

  #violate({ invariant, message }: Violation): void {
    this.#fail({ kind: 'invariant', invariant, message, ...this.#place() })
  }

  #fail(failure: SimulationFailure): void {
    if (this.#failure !== undefined) return
    const waiting = failure.kind === 'scenario' ? this.#inFlight.describeOutlived() : []
    this.#failure = { ...failure, message: [failure.message, ...waiting].join('\n') }
    this.#note('world', 'phase', `fails: ${failure.invariant}`)
  }

  #result(): RunResult {
    return {
      failure: this.#failure,
      tapes: this.#choices.tapes(),
      steps: this.#kernel.steps(),
      simulatedMs: this.#kernel.now() - simulationStart,
      traceHash: this.#trace.hash(),
      marks: Object.fromEntries(this.#marks),
      faults: this.#faults.counts(),
      commits: this.#commits,
      executions: this.#checker.executions().size,
      ledger: this.#ledger.entries(),
      lines: this.#trace.lines(),
      database: this.#settings.keepsDatabase ? this.#store.image() : undefined,
    }
  }
}
