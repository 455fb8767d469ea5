/**
 * The kernel: virtual time, and one thing that runs at a time. Whatever a process wants to do later
 * waits here, and the kernel says who goes on; what a step leaves behind in promises is run to its
 * end before the next. It must not know what the processes do.
 */

import {
  type Cancel,
  type Clock,
  type Instant,
  type Milliseconds,
  type Purpose,
  type Scheduler,
  systemScheduler,
} from '../base/time.ts'
import { createTimerHeap, type Timed } from './timer-heap.ts'

/** One life of a process: from a boot to a crash or an end. What it leaves behind never runs. */
export interface Life {
  /** Name of the process, such as `engine-0`. */
  readonly process: string
  readonly isAlive: () => boolean
  /** Ends it; harmless when it has ended. */
  readonly end: () => void
  /** Calls back when it ends. */
  readonly onEnd: (callback: () => void) => void
  /** Its event loop stands still until then. */
  readonly stall: (until: Instant) => void
  /** Its timers and turns; all of them silent after its end. */
  readonly scheduler: Scheduler
  /** The wall clock as this process sees it. */
  readonly clock: Clock
}

/** What the kernel asks, and what it tells. */
export interface KernelOptions {
  /** True time at the beginning. */
  readonly start: Instant
  /** Which of several goes on; 0 is the one that has waited longest. */
  readonly pick: (count: number) => number
  /** How far the wall clock of a process is from true time. */
  readonly skewOf: (process: string) => Milliseconds
  /** Something with a purpose is due: when it should run, by the clock of its process. */
  readonly putOff: (poll: DuePoll) => PutOff
  /** Called before each step: things may go wrong here. */
  readonly beforeStep: () => void
  /** Something threw where nobody could catch it. */
  readonly onThrow: (process: string, error: unknown) => void
}

/** Something that only looks, and would look now. */
export interface DuePoll {
  readonly process: string
  readonly purpose: Purpose
  /** How long it waits between two looks. */
  readonly interval: Milliseconds
  /** The present by the clock of its process. */
  readonly now: Instant
}

/** At once, at an instant by the clock of its process, or when something has been committed. */
export type PutOff = 'now' | 'until_commit' | Instant

/** Why a run of the kernel ended. */
export type KernelStop = 'done' | 'idle' | 'out_of_steps' | 'out_of_time'

/** How far to run. */
export interface RunLimits {
  /** Asked after each step. */
  readonly isDone: () => boolean
  /** Steps in all, counted from the beginning of the kernel. */
  readonly steps: number
  /** True time in all. */
  readonly until: Instant
}

/** The first moment of every simulation: the last second before the year 2000, in UTC. */
export const simulationStart: Instant = 946_684_799_000

/** Runs processes. */
export interface Kernel {
  /** True time. */
  readonly now: () => Instant
  readonly steps: () => number
  /** The process whose step runs, outside of steps `undefined`. */
  readonly current: () => Life | undefined
  readonly createLife: (process: string) => Life
  /** What put polls off has changed: they run when they would have run by themselves. */
  readonly wakePolls: () => void
  readonly run: (limits: RunLimits) => Promise<KernelStop>
}

/** Polls are not put off beyond this. */
const never: Instant = Number.POSITIVE_INFINITY

interface Entry extends Timed {
  readonly owner: OwnedLife
  readonly callback: () => void
  readonly delay: Milliseconds
  readonly purpose?: Purpose | undefined
  isCancelled: boolean
  /** The same one, put off. */
  again?: Entry | undefined
}

/** A life with what waits in it. */
class OwnedLife implements Life {
  readonly process: string
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly soon: Entry[] = []
  readonly due: Entry[] = []
  stalledUntil: Instant = 0
  readonly #onEnd: (() => void)[] = []
  #isAlive = true

  constructor(process: string, ports: { readonly clock: Clock; readonly set: SetTimer }) {
    this.process = process
    this.clock = ports.clock
    this.scheduler = {
      after: (delay, callback, purpose) => ports.set(this, { delay, callback, purpose }),
      soon: (callback) => {
        ports.set(this, { callback })
      },
      onQuiet: (callback) => {
        ports.set(this, { callback, isQuiet: true })
      },
    }
  }

  isAlive(): boolean {
    return this.#isAlive
  }

  end(): void {
    this.#isAlive = false
    this.soon.length = 0
    this.due.length = 0
    for (const callback of this.#onEnd.splice(0)) callback()
  }

  onEnd(callback: () => void): void {
    this.#onEnd.push(callback)
  }

  stall(until: Instant): void {
    this.stalledUntil = Math.max(this.stalledUntil, until)
  }
}

interface Wanted {
  /** Absent: in the next turn. */
  readonly delay?: Milliseconds
  readonly callback: () => void
  readonly purpose?: Purpose | undefined
  /** At the end of this step. */
  readonly isQuiet?: true
}

type SetTimer = (owner: OwnedLife, wanted: Wanted) => Cancel

/** A kernel in which nothing waits. */
export function createKernel(options: KernelOptions): Kernel {
  const kernel = new SteppingKernel(options)
  return {
    now: () => kernel.now,
    steps: () => kernel.steps,
    current: () => kernel.current,
    createLife: (process) => kernel.createLife(process),
    wakePolls: () => {
      kernel.wakePolls()
    },
    run: (limits) => kernel.run(limits),
  }
}

class SteppingKernel {
  now: Instant
  steps = 0
  current: OwnedLife | undefined
  readonly #options: KernelOptions
  readonly #heap = createTimerHeap<Entry>()
  readonly #lives = new Set<OwnedLife>()
  readonly #quiet: Entry[] = []
  #parked: Entry[] = []
  #seq = 0

  constructor(options: KernelOptions) {
    this.#options = options
    this.now = options.start
  }

  createLife(process: string): Life {
    const clock = { now: () => this.now + this.#options.skewOf(process) }
    const life = new OwnedLife(process, { clock, set: (owner, wanted) => this.#set(owner, wanted) })
    this.#lives.add(life)
    return life
  }

  wakePolls(): void {
    const parked = this.#parked
    this.#parked = []
    for (const entry of parked) {
      if (entry.again !== undefined) entry.again.isCancelled = true
      if (!isLive(entry)) continue
      const runAt = this.#putOff(entry)
      if (runAt > this.now) this.#park(entry, runAt)
      else this.#again(entry, entry.purpose === 'watch' ? this.#nextLook(entry) : this.now)
    }
  }

  async run(limits: RunLimits): Promise<KernelStop> {
    for (;;) {
      this.#options.beforeStep()
      if (limits.isDone()) return 'done'
      if (this.steps >= limits.steps) return 'out_of_steps'
      const ready = this.#findReady()
      if (ready.length > 0) {
        await this.#step(ready[this.#options.pick(ready.length)] ?? [])
        continue
      }
      const next = this.#nextInstant()
      if (next === undefined) return 'idle'
      if (next > limits.until) return 'out_of_time'
      this.now = Math.max(this.now, next)
      this.#release()
    }
  }

  #set(owner: OwnedLife, { delay, callback, purpose, isQuiet }: Wanted): Cancel {
    if (!owner.isAlive()) return () => undefined
    const entry = this.#entry(owner, { delay: Math.max(0, delay ?? 0), callback, purpose })
    if (isQuiet === true) this.#quiet.push(entry)
    else if (delay === undefined) owner.soon.push(entry)
    else this.#heap.push(entry)
    return () => {
      entry.isCancelled = true
      if (entry.again !== undefined) entry.again.isCancelled = true
    }
  }

  /** When it would have looked next. */
  #nextLook(entry: Entry): Instant {
    const missed = Math.ceil((this.now - entry.dueAt) / intervalOf(entry))
    return entry.dueAt + Math.max(0, missed) * intervalOf(entry)
  }

  #entry(owner: OwnedLife, wanted: Pick<Entry, 'delay' | 'callback' | 'purpose'>): Entry {
    this.#seq += 1
    const dueAt = this.now + wanted.delay
    return { ...wanted, owner, dueAt, seq: this.#seq, isCancelled: false }
  }

  #park(entry: Entry, runAt: Instant): void {
    this.#parked.push(entry)
    if (runAt < never) this.#again(entry, runAt)
  }

  /** Sets a timer again, for later. */
  #again(entry: Entry, dueAt: Instant): void {
    entry.again = { ...entry, dueAt, again: undefined }
    this.#heap.push(entry.again)
  }

  /** The first of each queue of those that may go on, in the order in which they came. */
  #findReady(): Entry[][] {
    const ready: Entry[][] = []
    for (const life of this.#lives) {
      if (!life.isAlive()) this.#lives.delete(life)
      if (!life.isAlive() || life.stalledUntil > this.now) continue
      if (hasLive(life.soon)) ready.push(life.soon)
      if (hasLive(life.due)) ready.push(life.due)
    }
    return ready.sort(bySeq)
  }

  /** When anybody can go on again. */
  #nextInstant(): Instant | undefined {
    let next = never
    for (const { stalledUntil, soon, due } of this.#lives) {
      const isHeldUp = stalledUntil > this.now && (hasLive(soon) || hasLive(due))
      if (isHeldUp) next = Math.min(next, stalledUntil)
    }
    for (;;) {
      const timer = this.#heap.peek()
      if (timer === undefined) break
      if (isLive(timer)) {
        next = Math.min(next, timer.dueAt)
        break
      }
      this.#heap.pop()
    }
    return next === never ? undefined : next
  }

  /** Hands timers that are due to their owners; polls that would find nothing are put off. */
  #release(): void {
    for (;;) {
      const timer = this.#heap.peek()
      if (timer === undefined || timer.dueAt > this.now) return
      this.#heap.pop()
      if (!isLive(timer)) continue
      const runAt = this.#putOff(timer)
      if (runAt <= this.now) timer.owner.due.push(timer)
      else this.#park(timer, runAt)
    }
  }

  /** When it would have looked for the last time before it has to. */
  #putOff(entry: Entry): Instant {
    const { owner, purpose, dueAt } = entry
    if (purpose === undefined) return this.now
    const now = owner.clock.now()
    const interval = intervalOf(entry)
    const wanted = this.#options.putOff({ process: owner.process, purpose, interval, now })
    if (wanted === 'until_commit') return never
    if (wanted === 'now') return this.now
    const trueTime = this.now + (wanted - now)
    return dueAt + Math.floor((trueTime - dueAt) / interval) * interval
  }

  async #step(queue: Entry[]): Promise<void> {
    const entry = queue.shift()
    if (entry === undefined) return
    this.steps += 1
    this.#call(entry)
    await this.#turn()
    for (;;) {
      const quiet = this.#quiet.shift()
      if (quiet === undefined) break
      if (isLive(quiet)) this.#call(quiet)
      await this.#turn()
    }
    this.current = undefined
  }

  /** A real turn of the event loop: every promise that can settle by itself has settled after it. */
  #turn(): Promise<void> {
    const { current } = this
    // Asked for outside of the step: within it timers are virtual.
    this.current = undefined
    const turned = new Promise<void>((resolve) => {
      systemScheduler.soon(resolve)
    })
    this.current = current
    return turned
  }

  #call({ owner, callback }: Entry): void {
    this.current = owner
    try {
      callback()
    } catch (error) {
      this.#options.onThrow(owner.process, error)
    }
  }
}

/** How long it waits between two looks. */
function intervalOf({ delay }: Entry): Milliseconds {
  return Math.max(1, delay)
}

function isLive({ owner, isCancelled }: Entry): boolean {
  return !isCancelled && owner.isAlive()
}

function hasLive(queue: Entry[]): boolean {
  while (queue[0]?.isCancelled === true) queue.shift()
  return queue.length > 0
}

function bySeq([left]: readonly Entry[], [right]: readonly Entry[]): number {
  return (left?.seq ?? 0) - (right?.seq ?? 0)
}
