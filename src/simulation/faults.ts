/**
 * What goes wrong in a simulation, and how often. Each seed draws which kinds of fault it has and
 * how much of each (a swarm): bugs that need one fault alone are found as well as those of a storm.
 */

import { invalidOption, readOptions } from '../base/options.ts'
import { type Duration, type Milliseconds, parseDuration } from '../base/time.ts'
import type { Choices, Occasion } from './choices.ts'

/** A kind of fault, and its chance each time that it could happen. */
export interface FaultRates {
  /** An engine process dies between two steps. Of each step. */
  readonly crash: number
  /** It dies before or after a commit; in the second case its caller never knew. Of each commit. */
  readonly crashAtCommit: number
  /** Every engine process dies at once; with `loses` the last commits are gone. Of each commit. */
  readonly powerLoss: number
  /** An engine is stopped as it should be, and started again. Of each step. */
  readonly restart: number
  /** The database is busy. Of each transaction. */
  readonly busy: number
  /** The disk answers with an error. Of each transaction of an engine. */
  readonly ioError: number
  /** A page cannot be read, once. Of each transaction of an engine. */
  readonly corruptRead: number
  /** The disk is full for a while. Of each writing transaction of an engine. */
  readonly diskFull: number
  /** A transaction waits. Of each transaction. */
  readonly slow: number
  /** The event loop of an engine stands still. Of each step. */
  readonly stall: number
  /** A notice within a process is lost. Of each notice. */
  readonly dropNotice: number
  /** It comes late, and so out of order. Of each notice. */
  readonly delayNotice: number
  /** It comes twice. Of each notice. */
  readonly repeatNotice: number
  /** A commit of another process is not noticed. Of each look. */
  readonly missForeign: number
  /** A read waits for a turn, as it would with a database on a network. Of each read. */
  readonly lateRead: number
  /** The wall clock of a process jumps within `skew`. Of each step. */
  readonly clockJump: number
  /** A command of the scenario is sent twice. Of each command. */
  readonly repeatCommand: number
  /** Another process than the one that waits longest goes on. Of each step. */
  readonly reorder: number
}

/** A kind of fault. */
export type FaultKind = keyof FaultRates

/** Faults of a simulation. */
export interface FaultOptions extends Partial<FaultRates> {
  /** Furthest that a wall clock is from true time. */
  readonly skew?: Duration | undefined
  /** Most by which a wall clock runs too fast or too slow, in millionths. */
  readonly drift?: number | undefined
  /** Longest wait of a transaction. */
  readonly slowMax?: Duration | undefined
  /** Longest stand-still of an event loop. */
  readonly stallMax?: Duration | undefined
  /** Longest time until a dead process is started again. */
  readonly downMax?: Duration | undefined
  /** Most commits that a power loss takes with it. 0: `synchronous=FULL`, nothing is lost. */
  readonly loses?: number | undefined
  /** Whether each seed has its own part of these faults; otherwise all seeds have all. */
  readonly swarm?: boolean | undefined
}

/** How rough a simulation is. */
export type FaultLevel = 'calm' | 'stormy' | 'radioactive'

const stormy: FaultOptions = {
  swarm: true,
  crash: 0.01,
  crashAtCommit: 0.02,
  restart: 0.003,
  busy: 0.05,
  slow: 0.1,
  stall: 0.01,
  dropNotice: 0.3,
  delayNotice: 0.2,
  repeatNotice: 0.1,
  missForeign: 0.1,
  lateRead: 0.3,
  repeatCommand: 0.2,
  reorder: 0.3,
  skew: '200ms',
}

const radioactive: FaultOptions = {
  ...stormy,
  crash: 0.02,
  crashAtCommit: 0.05,
  powerLoss: 0.01,
  ioError: 0.03,
  corruptRead: 0.01,
  diskFull: 0.01,
  clockJump: 0.005,
  dropNotice: 1,
  missForeign: 0.5,
  skew: '5s',
  drift: 200,
}

/** The faults of each level. */
export const faultLevels: Readonly<Record<FaultLevel, FaultOptions>> = {
  calm: {},
  stormy,
  radioactive,
}

/** The faults of one seed. */
export interface FaultPlan {
  readonly rates: FaultRates
  readonly skew: Milliseconds
  readonly drift: number
  readonly slowMax: Milliseconds
  readonly stallMax: Milliseconds
  readonly downMax: Milliseconds
  readonly loses: number
}

const noRates: FaultRates = {
  crash: 0,
  crashAtCommit: 0,
  powerLoss: 0,
  restart: 0,
  busy: 0,
  ioError: 0,
  corruptRead: 0,
  diskFull: 0,
  slow: 0,
  stall: 0,
  dropNotice: 0,
  delayNotice: 0,
  repeatNotice: 0,
  missForeign: 0,
  lateRead: 0,
  clockJump: 0,
  repeatCommand: 0,
  reorder: 0,
}

/** All kinds of fault. */
export const faultKinds: readonly FaultKind[] = Object.keys(noRates).filter(isFaultKind)

function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(noRates, text)
}

const otherOptions = ['skew', 'drift', 'slowMax', 'stallMax', 'downMax', 'loses', 'swarm'] as const

/** Checks faults. Throws `invalid_option`. */
export function readFaults(given: FaultLevel | FaultOptions): FaultOptions {
  if (typeof given === 'string') {
    if (Object.hasOwn(faultLevels, given)) return faultLevels[given]
    const levels = Object.keys(faultLevels).join(', ')
    throw invalidOption('faults', `must be one of ${levels}, or rates of faults`)
  }
  const read = readOptions(given, [...faultKinds, ...otherOptions], 'faults')
  for (const kind of faultKinds) {
    const rate = read[kind] ?? 0
    if (!(rate >= 0 && rate <= 1)) throw invalidOption(`faults.${kind}`, 'must be from 0 to 1')
  }
  if (!(Math.abs(read.drift ?? 0) <= driftMax)) {
    throw invalidOption('faults.drift', `must be from 0 to ${driftMax}`)
  }
  return read
}

/** A clock that is worse is broken. */
const driftMax = 100_000

/** The same faults, of which each seed has its own part. */
export function swarm(faults: FaultOptions): FaultOptions {
  return { ...faults, swarm: true }
}

/** Parts of a rate; benign is none of it. */
const shares = [0, 1, 0.3, 0, 0.1, 0, 1, 0] as const

/** Draws the faults of one seed. */
export function drawPlan(options: FaultOptions, choices: Choices): FaultPlan {
  const shareOf = (): number => {
    if (options.swarm !== true) return 1
    return shares[choices.choose('faults', shares.length)] ?? 0
  }
  const rates = { ...noRates }
  for (const kind of faultKinds) {
    const rate = options[kind] ?? 0
    if (rate > 0) Object.assign(rates, { [kind]: rate * shareOf() })
  }
  return {
    rates,
    skew: parseDuration(options.skew ?? 0) * Math.min(1, shareOf()),
    drift: (options.drift ?? 0) * shareOf(),
    slowMax: parseDuration(options.slowMax ?? 500),
    stallMax: parseDuration(options.stallMax ?? '10s'),
    downMax: parseDuration(options.downMax ?? '5s'),
    loses: options.loses ?? 0,
  }
}

/** The faults of a running simulation. */
export interface Faults {
  readonly plan: FaultPlan
  /** Whether this kind happens now; counted when it does. */
  readonly happens: (kind: FaultKind) => boolean
  /** A length from 1 up to `max`; the shorter ones are likelier. */
  readonly lengthOf: (kind: FaultKind, max: Milliseconds) => Milliseconds
  /** Which of several it hits. */
  readonly pick: (kind: FaultKind, count: number) => number
  /** From here on nothing goes wrong. */
  readonly heal: () => void
  readonly isHealed: () => boolean
  readonly counts: () => Readonly<Partial<Record<FaultKind, number>>>
}

/** Lengths double from one choice to the next, so that few choices reach from 1 ms to hours. */
const lengthSteps = 16

/** The faults of a plan. */
export function createFaults(plan: FaultPlan, choices: Choices): Faults {
  const counts: Partial<Record<FaultKind, number>> = {}
  const occasions: Partial<Record<FaultKind, Occasion>> = {}
  let isHealed = false
  return {
    plan,
    happens: (kind) => {
      const rate = plan.rates[kind]
      if (isHealed || rate === 0) return false
      const occasion = (occasions[kind] ??= choices.occasion(kind, rate))
      if (!occasion()) return false
      counts[kind] = (counts[kind] ?? 0) + 1
      return true
    },
    lengthOf: (kind, max) => {
      const step = choices.choose(`${kind}-length`, lengthSteps)
      return Math.max(1, Math.ceil(max * 2 ** (step + 1 - lengthSteps)))
    },
    pick: (kind, count) => choices.choose(`${kind}-which`, count),
    heal: () => {
      isHealed = true
    },
    isHealed: () => isHealed,
    counts: () => counts,
  }
}
