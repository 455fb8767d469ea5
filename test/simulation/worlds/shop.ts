/**
 * A world for the engine itself: workflows of every kind over activities that fail in every way,
 * and an application that submits, sends, pauses and cancels as the seed has it.
 */

import { type AnyFunction, defineActivity, defineWorkflow, type Handle, unchecked } from 'stele'
import { type ExploreOptions, simulated, type World } from 'stele/simulation'
import { worldInvariants } from './invariants.ts'
import { isLegal } from './is-legal.ts'

const short = {
  lockExpiry: '2s',
  timeout: '8s',
  retry: { maxRetries: 4, backoff: '50ms' },
} as const

const work = defineActivity({ name: 'work', ...short }, (input: number) => input)
const quick = defineActivity({ name: 'quick', ...short }, (input: number) => input)
const stub = defineActivity<'stub', number, number, number>({ name: 'stub' }).stub()

const leaf = defineWorkflow(
  { name: 'leaf', lockExpiry: '2s' },
  async (input: number, { outcome, sleep }) => {
    await sleep('30ms')
    const done = await outcome(work, input)
    return done.type === 'ok' ? 1 : 0
  },
)

const line = defineWorkflow(
  { name: 'line', lockExpiry: '2s' },
  async (input: number, { outcome, step, sleep, now }) => {
    const first = await outcome(work, input)
    const began = now()
    await sleep('3 days')
    const priced = await step('price', () => input * 2)
    const second = await outcome(quick, priced)
    return { first: first.type, second: second.type, slept: now() - began }
  },
)

const crowd = defineWorkflow(
  { name: 'crowd', lockExpiry: '2s' },
  async (input: number, { joinSet, call, sleep }) => {
    const set = joinSet('leaves', { of: leaf, onFailure: 'collect' })
    for (let index = 0; index <= input % 4; index += 1) set.submit(leaf, index)
    const cancelled = joinSet('late', { of: work, onClose: 'cancel' })
    cancelled.submit(work, input)
    const winner = await Promise.race([
      call(quick, input).catch(() => -1),
      sleep('100ms').then(() => -2),
    ])
    let seen = 0
    for await (const { outcome } of set) if (outcome.type === 'ok') seen += 1
    return { winner: typeof winner, seen }
  },
)

const asking = defineWorkflow(
  {
    name: 'asking',
    lockExpiry: '2s',
    messages: { note: unchecked<number>(), stop: unchecked<string>() },
  },
  async (_input: number, { messages, outcome }) => {
    const notes: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const note = await messages.note.next({ timeout: '10 minutes' })
      if (note === undefined) break
      notes.push(note)
      await outcome(quick, note)
    }
    return notes
  },
)

const submitted = [line, crowd, asking, leaf, work] as const

/** What one of them came to, when it did. */
type Any = Handle<unknown>

/** How rough it is. */
export const shop: Omit<ExploreOptions, 'faults' | 'seed'> = {
  functions: [work, quick, stub, leaf, line, crowd, asking],
  activities: {
    work: simulated<number, number>({
      ok: (input, { idempotencyKey, attempt }, { ledger }) => {
        ledger.record('work', idempotencyKey, attempt)
        return input
      },
      fail: 0.15,
      lost: 0.05,
      refuse: 0.05,
      hang: 0.03,
      unstorable: 0.02,
      delay: ['1ms', '6s'],
    }),
    quick: simulated<number, number>({
      ok: (input, { idempotencyKey, attempt }, { ledger }) => {
        ledger.record('quick', idempotencyKey, attempt)
        return input
      },
      fail: 0.1,
      delay: ['0ms', '200ms'],
    }),
  },
  engines: {
    count: [1, 3],
    executor: { concurrency: 4, batchSize: 3, tickSleep: '200ms' },
    limits: { warmRuns: 2 },
  },
  marks: [
    'an execution was cancelled',
    'an execution was paused',
    'a message arrived late',
    'an activity ran twice',
    'all engines were down',
  ],
  invariants: worldInvariants,
  limits: { chaosSteps: 1_000, steps: 10_000 },
}

/** The application. */
export async function runShop(w: World): Promise<void> {
  const count = 1 + w.choose('count', 4)
  const handles: Any[] = []
  for (let index = 0; index < count; index += 1) {
    const fn: AnyFunction = submitted[w.choose('kind', submitted.length)] ?? line
    const id = `${fn.name}-${index}`
    handles.push((await w.submit(fn as typeof line, index, { id })) as unknown as Any)
    await disturb(w, handles)
  }
  for (let round = w.choose('rounds', 6); round > 0; round -= 1) await disturb(w, handles)
  for (const handle of handles) await release(w, handle)
  for (const handle of handles) await handle.outcome()
  w.sometimes('an activity ran twice', hasTwice(w))
}

function hasTwice(w: World): boolean {
  const keys = w.ledger.entries().map(({ what, key }) => `${what} ${key}`)
  return new Set(keys).size < keys.length
}

const waits = ['0ms', '20ms', '700ms', '3s', '1 hour'] as const

async function disturb(w: World, handles: readonly Any[]): Promise<void> {
  w.sometimes('all engines were down', w.downCount() === w.engines.length)
  const handle = handles[w.choose('who', handles.length)]
  if (handle === undefined) return
  switch (w.choose('what', 8)) {
    case 1:
      w.sometimes('an execution was cancelled', (await handle.cancel()) === 'cancelled')
      return
    case 2:
      w.sometimes('an execution was paused', await isLegal(handle.pause()))
      return
    case 3:
      await isLegal(handle.unpause())
      return
    case 4:
    case 5:
      await send(w, handle)
      return
    default:
      await w.advance(waits[w.choose('wait', waits.length)] ?? '0ms')
  }
}

async function send(w: World, handle: Any): Promise<void> {
  if (!handle.id.startsWith('asking')) return
  const asked = (await w.get(handle.id, asking)) as Handle<unknown> & {
    readonly send: (channel: string, note: number, options: object) => Promise<unknown>
  }
  const id = `note-${w.choose('note', 3)}`
  const sent = await isLegal(asked.send('note', 1, { id }))
  w.sometimes('a message arrived late', !sent)
}

/** Paused ones go on; whoever is not paused says so. */
async function release(w: World, handle: Any): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const state = await handle.state()
    if (!state.paused) return
    await isLegal(handle.unpause())
    await w.advance('10ms')
  }
}
