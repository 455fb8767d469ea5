/** The world as a scenario sees it: a client, processes to crash, time to pass, things to check. */

import {
  type Cancel,
  type Duration,
  type Instant,
  type Milliseconds,
  parseDuration,
} from '../base/time.ts'
import type { Client, HandleOf } from '../client/client.ts'
import type { Engine } from '../client/create-engine.ts'
import type { SubmitOptions } from '../client/submit.ts'
import type { AnyFunction, Args, InputOf } from '../workers/function-ref.ts'
import type { Choices } from './choices.ts'
import type { Faults } from './faults.ts'
import type { Kernel, Life } from './kernel.ts'
import type { Ledger } from './ledger.ts'
import type { Functions } from './options.ts'
import type { Processes } from './processes.ts'
import { CheckError } from './simulation-error.ts'
import type { TraceKind } from './trace.ts'

/** What a scenario is given. */
export interface World
  extends Pick<Client, 'submit' | 'get' | 'list' | 'complete' | 'delay' | 'submitMany'> {
  /** True time. */
  readonly now: () => Instant
  /** Lets simulated time pass; whatever is due happens meanwhile. */
  readonly advance: (duration: Duration) => Promise<void>
  /**
   * Waits until it holds: asked again after each commit. Fails when it does not within the time
   * given (default 30 days), with a sentence about what was awaited.
   */
  readonly eventually: (
    holds: () => boolean | Promise<boolean>,
    options?: { readonly within?: Duration | undefined; readonly what?: string | undefined },
  ) => Promise<void>
  /** Fails the simulation, under this name, unless it holds. */
  readonly check: (name: string, holds: boolean, message?: string) => void
  /** Notes that something rare was reached; `explore` says which marks were never hit. */
  readonly sometimes: (mark: string, holds: boolean) => void
  /** Names of the engine processes. */
  readonly engines: readonly string[]
  /** How many of them are down now. */
  readonly downCount: () => number
  /** Kills an engine process. It comes back by itself, unless it is to stay down. */
  readonly crash: (engine: string, options?: { readonly comesBack?: boolean }) => void
  /** Starts one that is down. */
  readonly boot: (engine: string) => void
  /** Stops one as it should be stopped. It comes back by itself, unless it is to stay down. */
  readonly stop: (engine: string, options?: { readonly comesBack?: boolean }) => Promise<void>
  /** Lets the event loop of one stand still. */
  readonly stall: (engine: string, duration: Duration) => void
  /**
   * Makes the row of an execution unreadable, as something other than Stele might. Nothing is
   * expected of it any more; all others have to go on.
   */
  readonly spoil: (executionId: string) => void
  /** From the next boot of each engine on, it runs this code. */
  readonly deploy: (functions: Functions) => void
  /** What has happened outside of the crash domain. */
  readonly ledger: Ledger
  /** One of `0 .. count - 1`, as the seed has it; 0 is the benign one. */
  readonly choose: (name: string, count: number) => number
  /** Kinds of fault that have happened so far, and how often. */
  readonly faults: () => Readonly<Record<string, number>>
}

/** What a world stands on. */
export interface WorldOptions {
  readonly kernel: Kernel
  readonly client: Engine
  readonly clientLife: Life
  readonly processes: Processes
  readonly faults: Faults
  readonly choices: Choices
  readonly ledger: Ledger
  readonly marks: Map<string, number>
  readonly spoil: (executionId: string) => void
  readonly note: (process: string, kind: TraceKind, text: string) => void
  /** Calls back once after the next commit. */
  readonly onNextCommit: (callback: () => void) => void
}

/** How long `eventually` waits when nothing else is said. */
const eventuallyDefault: Duration = '30 days'

/** The world of one scenario. */
export function createWorld(options: WorldOptions): World {
  const { kernel, client, processes, choices, ledger, faults, note } = options
  return {
    ...createCommands(options),
    get: client.get,
    list: client.list,
    complete: client.complete,
    delay: client.delay,
    submitMany: client.submitMany,
    now: kernel.now,
    advance: (duration) => {
      note('client', 'scenario', `waits ${String(duration)}`)
      return wait(options, parseDuration(duration))
    },
    eventually: (holds, given = {}) => eventually(options, holds, given),
    check: (name, holds, message = 'does not hold') => {
      if (!holds) throw new CheckError(name, `${name}: ${message}`)
    },
    sometimes: (mark, holds) => {
      const count = options.marks.get(mark) ?? 0
      options.marks.set(mark, holds ? count + 1 : count)
    },
    engines: processes.names,
    downCount: () => processes.names.filter((name) => !processes.isUp(name)).length,
    ledger,
    choose: (name, count) => choices.choose(`scenario-${name}`, count),
    faults: faults.counts,
    spoil: (id) => {
      note('client', 'fault', `spoils the row of ${id}`)
      options.spoil(id)
    },
  }
}

function createCommands({
  client,
  processes,
  faults,
  note,
}: WorldOptions): Pick<World, 'submit' | 'crash' | 'boot' | 'stop' | 'stall' | 'deploy'> {
  let submitted = 0
  const submit = async <F extends AnyFunction>(
    fn: F,
    ...args: Args<InputOf<F>, SubmitOptions>
  ): Promise<HandleOf<F>> => {
    submitted += 1
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same, with an id
    const named = [args[0], { id: `${fn.name}-${submitted}`, ...args[1] }] as unknown as Args<
      InputOf<F>,
      SubmitOptions
    >
    note('client', 'scenario', `submits ${fn.name}`)
    // The same command twice is one: an application may not know whether it was heard.
    const again = faults.happens('repeatCommand') ? client.submit(fn, ...named) : undefined
    const handle = await client.submit(fn, ...named)
    await again
    return handle
  }
  return {
    submit,
    crash: (engine, { comesBack = true } = {}) => {
      processes.crash(engine, 'killed by the scenario', comesBack)
    },
    boot: processes.boot,
    stop: (engine, { comesBack = true } = {}) => processes.stop(engine, comesBack),
    stall: (engine, duration) => {
      processes.stall(engine, parseDuration(duration))
    },
    deploy: (functions) => {
      note('client', 'scenario', 'deploys other code')
      processes.deploy(functions)
    },
  }
}

function wait({ clientLife }: WorldOptions, duration: Milliseconds): Promise<void> {
  return new Promise((resolve) => {
    clientLife.scheduler.after(duration, resolve)
  })
}

/** Between two looks at something that no commit foretells. */
const lookInterval: Milliseconds = 1_000

async function eventually(
  options: WorldOptions,
  holds: () => boolean | Promise<boolean>,
  given: { readonly within?: Duration | undefined; readonly what?: string | undefined },
): Promise<void> {
  const { kernel, clientLife, onNextCommit } = options
  const within = parseDuration(given.within ?? eventuallyDefault)
  const what = given.what ?? 'what the scenario waits for'
  const deadline = kernel.now() + within
  while (!(await holds())) {
    if (kernel.now() >= deadline) {
      throw new CheckError(`eventually: ${what}`, `${what} did not come true within ${within} ms`)
    }
    await somethingNew(clientLife, deadline - kernel.now(), onNextCommit)
  }
}

/** The next commit, or the next look, or the end of the wait. */
async function somethingNew(
  { scheduler }: Life,
  patience: Milliseconds,
  onNextCommit: WorldOptions['onNextCommit'],
): Promise<void> {
  const cancels: Cancel[] = []
  await new Promise<void>((resolve) => {
    onNextCommit(() => {
      scheduler.soon(resolve)
    })
    cancels.push(
      scheduler.after(Math.min(lookInterval, patience), resolve, 'watch'),
      scheduler.after(patience, resolve),
    )
  })
  for (const cancel of cancels) cancel()
}
