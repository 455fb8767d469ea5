/** Random workflows as data: what a program may consist of, and how to make up some. */

import * as fc from 'fast-check'

/** How an activity behaves. */
export interface Work {
  readonly end: 'ok' | 'err' | 'throws' | 'permanent' | 'retried'
  readonly ms: number
}

/** How a local step behaves. */
export interface StepWork {
  readonly end: 'ok' | 'err' | 'throws' | 'permanent' | 'retried'
  /** Which of the odd values. */
  readonly value: number
  readonly ms: number
  readonly backoff: number
}

/** What a program does with a join set, in order. */
export type SetStep =
  | { readonly op: 'submit'; readonly work: Work; readonly delay?: number | undefined }
  | { readonly op: 'submitChild'; readonly body: Program }
  | { readonly op: 'delay'; readonly ms: number }
  | { readonly op: 'next'; readonly timeout?: number | undefined; readonly isAwaited: boolean }
  | { readonly op: 'tryNext' }
  | { readonly op: 'iterate' }
  | { readonly op: 'map'; readonly works: readonly Work[] }
  | { readonly op: 'cancel'; readonly isAll: boolean }
  | { readonly op: 'close'; readonly isAwaited: boolean }
  | { readonly op: 'pause'; readonly ms: number }

/** Policies of a join set. */
export interface SetOptions {
  readonly onFailure?: 'collect' | 'cancel' | 'ignore' | undefined
  readonly onClose?: 'cancel' | 'await' | 'abandon' | undefined
  readonly concurrency?: number | undefined
}

/** A workflow as data. */
export type Program =
  | { readonly op: 'sequence' | Combinator; readonly parts: readonly Program[] }
  | { readonly op: 'try' | 'unawaited'; readonly body: Program }
  | { readonly op: 'retry'; readonly times: number; readonly body: Program }
  | { readonly op: 'limit'; readonly body: Program }
  | { readonly op: 'sleep' | 'sleepUntil'; readonly ms: number }
  | { readonly op: 'call' | 'outcome'; readonly work: Work; readonly delay?: number | undefined }
  | { readonly op: 'child'; readonly body: Program; readonly asOutcome: boolean }
  | { readonly op: 'step'; readonly work: StepWork }
  | { readonly op: 'message'; readonly channel: 'a' | 'b'; readonly timeout?: number | undefined }
  | { readonly op: 'set'; readonly options: SetOptions; readonly steps: readonly SetStep[] }
  | { readonly op: 'schedule'; readonly ms?: number | undefined }
  | { readonly op: 'random' | 'uuid' | 'now' | 'patched' | 'log' | 'throw' }

/** Ways to await several things. */
export type Combinator = 'all' | 'race' | 'any' | 'allSettled'

/** A message that is sent from outside, at its time. */
export interface Sending {
  readonly channel: 'a' | 'b'
  readonly at: number
}

/** How a program is made up. */
export interface ProgramOptions {
  /** Only what gives the same result whatever comes first, within an hour. */
  readonly isStable: boolean
}

/** Waits that make things coincide; none is one that the world leaves out. */
const shortTimes = fc.constantFrom(0, 1, 1, 10, 50, 100, 700, 1_000, 3_000)
const retryBackoffs = fc.constantFrom(10, 400, 3_000)
const anyWork: fc.Arbitrary<Work> = fc.record({
  end: fc.constantFrom('ok', 'ok', 'ok', 'err', 'throws', 'permanent', 'retried'),
  ms: shortTimes,
})
/** Attempts that die are counted too, so what needs all of its budget may end as a timeout. */
const stableWork: fc.Arbitrary<Work> = fc.record({
  end: fc.constantFrom('ok', 'ok', 'ok', 'permanent', 'retried'),
  ms: shortTimes,
})
const stepWork: fc.Arbitrary<StepWork> = fc.record({
  end: fc.constantFrom('ok', 'ok', 'ok', 'err', 'throws', 'permanent', 'retried'),
  value: fc.nat(9),
  ms: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, shortTimes),
  backoff: retryBackoffs,
})
const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined })

function policies(isStable: boolean): fc.Arbitrary<SetOptions> {
  return fc.record({
    onFailure: optional(
      isStable ? fc.constantFrom('collect') : fc.constantFrom('collect', 'cancel', 'ignore'),
    ),
    onClose: optional(fc.constantFrom('cancel', 'await', 'abandon')),
    concurrency: optional(fc.integer({ min: 1, max: 3 })),
  })
}

function setSteps(isStable: boolean, program: fc.Arbitrary<Program>): fc.Arbitrary<SetStep> {
  const op = <Op extends SetStep['op']>(name: Op) => fc.constant(name)
  const work = isStable ? stableWork : anyWork
  const steady: fc.Arbitrary<SetStep>[] = [
    fc.record({ op: op('submit'), work, delay: optional(shortTimes) }),
    fc.record({ op: op('submit'), work }),
    fc.record({ op: op('submitChild'), body: program }),
    fc.record({ op: op('iterate') }),
    fc.record({ op: op('close'), isAwaited: fc.constant(true) }),
    fc.record({ op: op('pause'), ms: shortTimes }),
  ]
  const timed: fc.Arbitrary<SetStep>[] = [
    fc.record({ op: op('delay'), ms: shortTimes }),
    fc.record({ op: op('next'), timeout: optional(shortTimes), isAwaited: fc.boolean() }),
    fc.record({ op: op('next'), isAwaited: fc.constant(true) }),
    fc.record({ op: op('tryNext') }),
    fc.record({ op: op('cancel'), isAll: fc.boolean() }),
    fc.record({ op: op('close'), isAwaited: fc.boolean() }),
    fc.record({ op: op('map'), works: fc.array(work, { maxLength: 3 }) }),
  ]
  return fc.oneof(...steady, ...(isStable ? [] : timed))
}

/** Makes up programs. */
export function programs({ isStable }: ProgramOptions): fc.Arbitrary<Program> {
  const op = <Op extends Program['op']>(...names: Op[]) => fc.constantFrom(...names)
  const work = isStable ? stableWork : anyWork
  const leaves: fc.Arbitrary<Program>[] = [
    fc.record({ op: op('sleep', 'sleepUntil'), ms: shortTimes }),
    fc.record({ op: op('call', 'outcome'), work, delay: optional(shortTimes) }),
    fc.record({ op: op('call', 'outcome'), work }),
    fc.record({ op: op('step'), work: stepWork }),
    fc.record({ op: op('step'), work: stepWork }),
    fc.record({ op: op('schedule'), ms: optional(shortTimes) }),
    fc.record({ op: op('random', 'uuid', 'now', 'patched', 'log') }),
  ]
  const restless: fc.Arbitrary<Program>[] = [
    fc.record({
      op: op('message'),
      channel: fc.constantFrom('a', 'b'),
      timeout: optional(shortTimes),
    }),
    fc.record({ op: op('throw') }),
  ]
  const leaf = fc.oneof(...leaves, ...(isStable ? [] : restless))
  const { program } = fc.letrec<{ program: Program }>((tie) => {
    const body = tie('program')
    const parts = fc.array(body, { minLength: 1, maxLength: 4 })
    const nodes: fc.Arbitrary<Program>[] = [
      fc.record({ op: op('sequence', 'sequence', 'allSettled'), parts }),
      fc.record({ op: isStable ? op('allSettled') : op('all', 'race', 'any'), parts }),
      fc.record({ op: isStable ? op('try') : op('try', 'unawaited'), body }),
      fc.record({ op: op('retry'), times: fc.integer({ min: 2, max: 3 }), body }),
      fc.record({ op: op('limit'), body }),
      fc.record({ op: op('child'), body, asOutcome: fc.boolean() }),
      fc.record({
        op: op('set'),
        options: policies(isStable),
        steps: fc.array(setSteps(isStable, body), { minLength: 1, maxLength: 6 }),
      }),
    ]
    return {
      program: fc.oneof({ maxDepth: 3, depthIdentifier: 'program' }, leaf, ...nodes),
    }
  })
  return fc.record({
    op: op('sequence'),
    parts: fc.array(program, { minLength: 1, maxLength: 4 }),
  })
}

/** Makes up what is sent. */
export const sendings: fc.Arbitrary<readonly Sending[]> = fc.array(
  fc.record({ channel: fc.constantFrom('a', 'b'), at: shortTimes }),
  { maxLength: 4 },
)

const timed: ReadonlySet<string> = new Set(['ms', 'delay', 'timeout'])

/** The same program, with times of which no two are alike: nothing happens at the same instant. */
export function spreadTimes(program: Program): Program {
  let count = 0
  const text = JSON.stringify(program, (key, value: unknown) => {
    if (!timed.has(key) || typeof value !== 'number') return value
    count += 1
    return value + 1_009 * count + count * count
  })
  return JSON.parse(text) as Program
}
