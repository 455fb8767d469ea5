import { type ActivityContext, defineActivity, defineWorkflow, err } from 'stele'
import { describe, expect, it } from 'vitest'
import {
  type ActivityReplacement,
  type AttemptEnd,
  type SimulatedOptions,
  simulateActivities,
  simulated,
} from '../../../src/simulation/activities.ts'
import { createChoices, type Tapes } from '../../../src/simulation/choices.ts'
import { createKernel } from '../../../src/simulation/kernel.ts'
import { createLedger } from '../../../src/simulation/ledger.ts'
import { findDefinition } from '../../../src/workers/definition.ts'

const start = 1_000_000
const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
// What a handler is given beside its input; nothing else of it matters here.
const context = { executionId: 'a', attempt: 3 } as unknown as ActivityContext

interface Played {
  /** What the handler returned or threw; absent when it never answered. */
  readonly answer?: unknown
  readonly thrown?: unknown
  readonly ends: readonly AttemptEnd[]
  readonly effects: readonly string[]
  readonly took: number
}

/** Runs one attempt of the activity as a process of a simulation would. */
async function play(
  replacement: ActivityReplacement | undefined,
  { tapes = {}, dies = false }: { readonly tapes?: Tapes; readonly dies?: boolean } = {},
): Promise<Played> {
  const kernel = createKernel({
    start,
    pick: () => 0,
    skewOf: () => 0,
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (_, cause) => {
      throw cause
    },
  })
  const life = kernel.createLife('engine-0')
  const ledger = createLedger(() => ({ at: kernel.now(), process: 'engine-0' }))
  const ends: AttemptEnd[] = []
  const begun: string[] = []
  const [fn] = simulateActivities([charge], life, {
    choices: createChoices({ seed: 1, tapes }),
    ledger,
    replacements: replacement === undefined ? {} : { charge: replacement },
    onBegin: ({ process, activity, executionId, attempt }) =>
      begun.push(`${process} ${activity} ${executionId} ${attempt}`),
    onEnd: (_, end) => ends.push(end),
  })
  const definition = fn === undefined ? undefined : findDefinition(fn)
  if (definition?.kind !== 'activity') throw new TypeError('the activity is gone')
  const { handler } = definition
  let played: { answer?: unknown; thrown?: unknown } = {}
  life.scheduler.soon(() => {
    Promise.resolve(handler?.(21, context)).then(
      (answer) => {
        played = { answer }
      },
      (thrown: unknown) => {
        played = { thrown }
      },
    )
    if (dies) life.end()
  })
  await kernel.run({ isDone: () => false, steps: 100, until: start + 1e9 })
  expect(begun).toEqual(['engine-0 charge a 3'])
  const effects = ledger.entries().map(({ what }) => what)
  return { ...played, ends, effects, took: kernel.now() - start }
}

const options = (part: Partial<SimulatedOptions<number, number>> = {}) =>
  simulated<number, number>({
    ok: (cents, _, { ledger }) => {
      ledger.record('charged', 'a')
      return cents + 1
    },
    ...part,
  })

/** Of the mishap that comes first on its tape. */
const happens = (mishap: string) => ({ tapes: { [`charge-${mishap}`]: [1] } })

describe('a simulated activity', () => {
  it('has its effect and returns, when nothing goes wrong', async () => {
    const played = await play(options({ fail: 0.5, hang: 0.5, delay: ['0ms', '1s'] }))
    expect(played).toEqual({ answer: 22, ends: ['ok'], effects: ['charged'], took: 0 })
  })

  it('fails before its effect', async () => {
    const { thrown, ends, effects } = await play(options({ fail: 0.5 }), happens('fail'))
    expect(thrown).toMatchObject({ message: 'charge failed, before its effect' })
    expect([ends, effects]).toEqual([['thrown'], []])
  })

  it('is lost after its effect', async () => {
    const { thrown, ends, effects } = await play(options({ lost: 0.5 }), happens('lost'))
    expect(thrown).toMatchObject({ message: 'charge failed, after its effect' })
    expect([ends, effects]).toEqual([['thrown'], ['charged']])
  })

  it('refuses, before its effect', async () => {
    const { answer, ends, effects } = await play(options({ refuse: 0.5 }), happens('refuse'))
    expect(answer).toEqual(err('refused'))
    expect([ends, effects]).toEqual([['ok'], []])
  })

  it('hangs, and is said to', async () => {
    const played = await play(options({ hang: 0.5 }), happens('hang'))
    expect(played).toEqual({ ends: ['hung'], effects: [], took: 0 })
  })

  it('returns what cannot be stored, after its effect', async () => {
    const { answer, effects } = await play(options({ unstorable: 0.5 }), happens('unstorable'))
    expect([typeof answer, effects]).toEqual(['function', ['charged']])
  })

  it('has no mishap whose chance is 0, whatever a tape says', async () => {
    expect((await play(options({ fail: 0 }), happens('fail'))).answer).toBe(22)
  })

  it('takes always as long as it is said to', async () => {
    expect((await play(options({ delay: '5s' }))).took).toBe(5_000)
  })

  it.each<[number, number]>([
    [0, 1_000],
    [7, 60_000],
  ])('takes its time between two bounds: choice %i is %i ms', async (choice, took) => {
    const tapes = { 'charge-delay': [choice] }
    expect((await play(options({ delay: ['1s', '60s'] }), { tapes })).took).toBe(took)
  })
})

describe('a handler in place of the real one', () => {
  it('gets input, context and world', async () => {
    const seen: unknown[] = []
    const played = await play(
      async (cents: number, { attempt }, { ledger, sleep, choose }) => {
        seen.push(cents, attempt, choose('side', 9))
        await sleep('3s')
        ledger.record('asked', 'a')
        return 'ok'
      },
      { tapes: { 'activity-side': [4] } },
    )
    expect(seen).toEqual([21, 3, 4])
    expect(played).toEqual({ answer: 'ok', ends: ['ok'], effects: ['asked'], took: 3_000 })
  })

  it('throws what it throws', async () => {
    const error = new RangeError('no')
    const { thrown, ends } = await play(() => {
      throw error
    })
    expect([thrown, ends]).toEqual([error, ['thrown']])
  })
})

describe('a handler that nobody replaces', () => {
  it('runs as it is, and is watched', async () => {
    expect(await play(undefined)).toEqual({ answer: 42, ends: ['ok'], effects: [], took: 0 })
  })

  it('of a process that has died has no end to tell of', async () => {
    const { ends } = await play(undefined, { dies: true })
    expect(ends).toEqual([])
  })
})

describe('what is no activity with a handler', () => {
  it('stays the same: workflows and stubs', () => {
    const flow = defineWorkflow({ name: 'flow' }, () => 1)
    const stub = defineActivity({ name: 'approve' }).stub()
    const life = createKernel({
      start,
      pick: () => 0,
      skewOf: () => 0,
      putOff: () => 'now',
      beforeStep: () => undefined,
      onThrow: () => undefined,
    }).createLife('engine-0')
    const functions = [flow, stub]
    const made = simulateActivities(functions, life, {
      choices: createChoices({ seed: 1 }),
      ledger: createLedger(() => undefined),
      replacements: {},
      onBegin: () => undefined,
      onEnd: () => undefined,
    })
    expect(made).toEqual(functions)
    expect(made.map((fn, index) => fn === functions[index])).toEqual([true, true])
  })
})
