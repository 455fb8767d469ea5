/**
 * A world in which every answer can be checked: workflows whose results follow from what they were
 * given, an application that sends each note once or twice, and cancellations that must hold.
 */

import { defineActivity, defineWorkflow, type Handle, type Outcome, unchecked } from 'stele'
import { type ExploreOptions, type Invariant, simulated, type World } from 'stele/simulation'
import { type Receipt, worldInvariants } from './invariants.ts'
import { isLegal } from './is-legal.ts'

const short = { lockExpiry: '1s', timeout: '4s' } as const
const lock = { lockExpiry: '1s' } as const

const task = defineActivity(
  { name: 'task', ...short, retry: { maxRetries: 2, backoff: '20ms' } },
  (input: number, { idempotencyKey: key, attempt }): Receipt => ({ input, attempt, key }),
)
const note = defineActivity({ name: 'note', ...short }, (input: number) => input)

/** Three that go on side by side; who comes first decides what each does next. */
const race = defineWorkflow(
  { name: 'race', ...lock },
  async (input: number, { outcome, sleep }) => {
    const arrived: number[] = []
    const runners = [0, 1, 2].map(async (runner) => {
      if (runner === input % 3) await sleep('10ms')
      else await outcome(task, runner)
      arrived.push(runner)
      await outcome(note, arrived.length * 10 + runner)
    })
    await Promise.all(runners)
    return arrived
  },
)

/** Waits for whichever is first; what has lost is cancelled at the end. */
const hasty = defineWorkflow(
  { name: 'hasty', ...lock },
  async (input: number, { outcome, sleep }) => {
    const done = outcome(task, input).then(({ type }) => type)
    const late = sleep(input % 2 === 0 ? '30 days' : '50ms').then(() => 'late')
    return { first: await Promise.race([done, late]) }
  },
)

/** Only ever ends in time when somebody ends it. */
const nap = defineWorkflow({ name: 'nap', ...lock }, async (_: number, { sleep }) => {
  await sleep('40 days')
  return 0
})

/** Asks its children one after the other, and adds up what they say. */
const boss = defineWorkflow(
  { name: 'boss', ...lock },
  async (input: number, { joinSet, sleep, now }) => {
    const set = joinSet('staff', { of: [hasty, note], onFailure: 'collect' })
    const began = now()
    for (let index = 0; index < 3; index += 1) {
      if (index === input % 3) set.submit(hasty, 1)
      else set.submit(note, index)
    }
    set.delay('1 hour')
    joinSet('naps', { of: nap, onClose: 'cancel' }).submit(nap, input)
    await sleep('1 day')
    const kinds: string[] = []
    for await (const { kind } of set) kinds.push(kind)
    return { kinds: kinds.toSorted(), slept: now() - began }
  },
)

/** Collects notes until none comes; each is answered before the next. */
const desk = defineWorkflow(
  { name: 'desk', ...lock, messages: { paper: unchecked<number>() } },
  async (_input: number, { messages, outcome }) => {
    const papers: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const paper = await messages.paper.next({ timeout: '1 hour' })
      if (paper === undefined) break
      papers.push(paper)
      await outcome(note, paper)
    }
    return papers
  },
)

/** Whoever waits for what nobody wants any more ends when the long sleeps do. */
const hasteMax = 20 * 86_400_000

const hasteHelps: Invariant = {
  name: 'what has lost, or was cancelled, holds nobody up',
  check: ({ changes }) => {
    for (const { executionId, steps, execution } of changes) {
      const end = steps.find(({ entry }) => entry.event.type === 'finished')
      const { state, events } = execution
      const isHasty = ['hasty', 'boss'].includes(state.function.name)
      const begun = events.find(
        ({ event }) => event.type === 'cancel_requested' || (isHasty && event.type === 'created'),
      )
      if (begun === undefined || end === undefined) continue
      const took = end.entry.createdAt - begun.createdAt
      if (took > hasteMax) return `${executionId} took ${took} ms from v${begun.version} on`
    }
    return undefined
  },
}

const submitted = [race, hasty, boss, desk, task] as const

type Any = Handle<unknown>

/** The world, but for how rough it is. */
export const office: Omit<ExploreOptions, 'faults' | 'seed'> = {
  functions: [task, note, race, hasty, nap, boss, desk],
  activities: {
    task: simulated<number, Receipt>({
      ok: (input, { idempotencyKey: key, attempt }, { ledger }) => {
        ledger.record('task', key, attempt)
        return { input, attempt, key }
      },
      fail: 0.2,
      lost: 0.05,
      hang: 0.05,
      delay: ['1ms', '5s'],
    }),
    note: simulated<number, number>({ ok: (input) => input, fail: 0.05, delay: ['0ms', '300ms'] }),
  },
  engines: {
    count: [1, 3],
    executor: { concurrency: 2, batchSize: 2, tickSleep: '200ms' },
    limits: { warmRuns: 1 },
  },
  marks: ['a cancellation held', 'a paper came twice', 'a task went on in another attempt'],
  invariants: [...worldInvariants, hasteHelps],
  limits: { chaosSteps: 600, steps: 8_000 },
}

interface Submitted {
  readonly handle: Any
  readonly input: number
  isCancelled: boolean
}

/** The application. */
export async function runOffice(w: World): Promise<void> {
  const all: Submitted[] = []
  const count = 1 + w.choose('count', 3)
  for (let index = 0; index < count; index += 1) {
    const kind = submitted[w.choose('kind', submitted.length)] ?? race
    const handle = (await w.submit(kind as typeof race, index)) as unknown as Any
    all.push({ handle, input: index, isCancelled: false })
    for (let round = w.choose('rounds', 4); round > 0; round -= 1) await disturb(w, all)
  }
  for (const each of all) {
    await release(w, each.handle)
    judge(w, each, await each.handle.outcome())
  }
}

const waits = ['0ms', '10ms', '300ms', '2s', '1 hour'] as const

async function disturb(w: World, all: readonly Submitted[]): Promise<void> {
  const chosen = all[w.choose('who', all.length)]
  if (chosen === undefined) return
  switch (w.choose('what', 8)) {
    case 1:
      if ((await chosen.handle.cancel()) === 'cancelled') chosen.isCancelled = true
      return
    case 2:
      await isLegal(chosen.handle.pause())
      return
    case 3:
      await isLegal(chosen.handle.unpause())
      return
    case 4:
    case 5:
      await send(w, chosen.handle)
      return
    default:
      await w.advance(waits[w.choose('wait', waits.length)] ?? '0ms')
  }
}

/** Each paper has an id, and its number says which; the same one is sent again now and then. */
async function send(w: World, { id }: Any): Promise<void> {
  if (!id.startsWith('desk')) return
  const handle = await w.get(id, desk)
  const paper = w.choose('paper', 4)
  const isSent = await isLegal(handle.send('paper', paper, { id: `paper-${paper}` }))
  const again = w.choose('again', 2) === 1 && isSent
  if (again) await isLegal(handle.send('paper', paper, { id: `paper-${paper}` }))
  w.sometimes('a paper came twice', again)
}

async function release(w: World, handle: Any): Promise<void> {
  if ((await handle.state()).paused) await isLegal(handle.unpause())
  w.sometimes('a task went on in another attempt', hasSecond(w))
}

function hasSecond(w: World): boolean {
  return w.ledger.entries('task').some(({ detail }) => typeof detail === 'number' && detail > 1)
}

/** Clocks may be off by so much, twice. */
const skewMax = 11_000

function judge(w: World, { handle, input, isCancelled }: Submitted, outcome: Outcome): void {
  const what = `${handle.id} gave ${JSON.stringify(outcome)}`
  if (isCancelled) {
    const holds = outcome.type === 'execution_failure' && outcome.kind === 'cancelled'
    w.check('what was cancelled ends as cancelled', holds, what)
    w.sometimes('a cancellation held', holds)
    return
  }
  if (outcome.type !== 'ok') return
  const holds = expectations[nameOf(handle.id)]?.(outcome.value as never, input) ?? true
  w.check('results are as they must be', holds, what)
}

function nameOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}

type Expectation = (value: never, input: number) => boolean

/** What each workflow may come to, when it comes to an end. */
const expectations: Readonly<Record<string, Expectation>> = {
  race: (value: readonly number[]) =>
    value.length === 3 && [0, 1, 2].every((runner) => value.includes(runner)),
  hasty: ({ first }: { readonly first: string }, input) => first !== 'late' || input % 2 === 1,
  boss: ({ kinds, slept }: { readonly kinds: readonly string[]; readonly slept: number }) =>
    kinds.join() === 'child,child,child,delay' && slept >= 86_400_000 - skewMax,
  desk: (value: readonly number[]) => new Set(value).size === value.length,
  task: (value: Receipt, input) => value.input === input,
}
