/** The actor of a held lock and the log of its execution agree, whatever happens to either. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SteleError } from '../../src/base/error.ts'
import type { AbortReason, WorkerResult } from '../../src/engine/worker.ts'
import type { ExecutionEvent, LoggedEvent } from '../../src/model/event.ts'
import { foldHistory } from '../../src/model/fold.ts'
import { unlockedEvent } from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import {
  activityFunction,
  createOpenWorker,
  deafWorker,
  eventsOf,
  obedient,
  workflowFunction,
} from '../unit/engine/builders.ts'
import { type HeldSurroundings, openHeld } from '../unit/engine/held.ts'
import { results } from './results.ts'

const seed = 20_260_405
const numRuns = 200
const a = executionId('a')
const away = new SteleError('storage_unavailable', 'away')

/** Steps that need no more than their name. */
const plainSteps = ['heartbeat', 'cancel', 'steal', 'look', 'fail', 'lose', 'hold', 'heal'] as const
type PlainStep = (typeof plainSteps)[number]

/** One thing that happens to the run, to the storage or to the log. */
type Step =
  | { readonly type: 'end'; readonly result: WorkerResult }
  | { readonly type: 'advance'; readonly by: number }
  | { readonly type: 'abort'; readonly reason: AbortReason }
  | { readonly type: PlainStep }

const plain = fc.constantFrom(...plainSteps).map((type): Step => ({ type }))
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: plain },
    {
      weight: 3,
      arbitrary: fc.integer({ min: 1, max: 150 }).map((by): Step => ({ type: 'advance', by })),
    },
    { weight: 1, arbitrary: results.map((result): Step => ({ type: 'end', result })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom<AbortReason[]>('timed_out', 'stopping', 'released')
        .map((reason): Step => ({ type: 'abort', reason })),
    },
  ),
  { maxLength: 15 },
)

/** Life of one held lock, and what the test knows of it. */
interface Life extends HeldSurroundings {
  /** Versions that others wrote, or whose answer never reached the holder. */
  readonly unknown: Set<number>
  readonly play: (step: Step) => Promise<void>
}

async function openLife(
  kind: 'activity' | 'workflow',
  deaf: boolean,
  obeys: boolean,
): Promise<Life> {
  const settings = kind === 'activity' ? activityFunction() : workflowFunction()
  const worker = createOpenWorker(obeys ? obedient : deafWorker)
  const open = await openHeld({ settings, deaf, worker })
  const { held, store, scheduler } = open
  const unknown = new Set<number>()
  let isLosing = false
  let letGo = (): void => undefined
  void held.run()

  const lastVersion = async (): Promise<number> => (await eventsOf(store, 'a')).at(-1)?.version ?? 0
  /** Whatever this writes is not the holder's. */
  const asOther = async (write: () => Promise<unknown>): Promise<void> => {
    const before = await lastVersion()
    const writing = write()
    await open.done(writing)
    for (let version = before + 1; version <= (await lastVersion()); version += 1) {
      unknown.add(version)
    }
  }
  const heal = (): void => {
    letGo()
    letGo = () => undefined
    open.fail('append', undefined)
    open.lose('append', undefined)
    isLosing = false
  }
  const now = (): number => open.clock.now()
  const acts: {
    readonly [Type in Step['type']]: (step: Extract<Step, { type: Type }>) => unknown
  } = {
    end: ({ result }) => {
      worker.of('a').end(result)
    },
    advance: async ({ by }) => {
      held.attend(now())
      await scheduler.advance(by)
      held.attend(now())
    },
    abort: ({ reason }) => {
      held.abort(reason)
    },
    heartbeat: () => {
      const beat = worker.of('a').run.heartbeat()
      beat.catch(() => undefined)
    },
    cancel: () => asOther(() => store.cancel({ executionId: a, createdAt: now() })),
    steal: async () => {
      const version = (await lastVersion()) + 1
      const events = [{ event: unlockedEvent(1e9), createdAt: now() }]
      await asOther(() => store.append({ executionId: a, version, events }))
    },
    look: async () => {
      const state = await store.findState(a)
      if (state !== undefined) held.notice(state)
    },
    fail: () => {
      open.fail('append', away)
    },
    lose: () => {
      isLosing = true
      open.lose('append', away)
    },
    hold: () => {
      letGo()
      letGo = open.hold('append')
    },
    heal,
  }
  const act = async (step: Step): Promise<void> => {
    await (acts[step.type] as (step: Step) => unknown)(step)
  }
  const play = async (step: Step): Promise<void> => {
    const before = await lastVersion()
    await act(step)
    await scheduler.settle()
    if (!isLosing) return
    for (let version = before + 1; version <= (await lastVersion()); version += 1) {
      unknown.add(version)
    }
  }
  return { ...open, unknown, play }
}

/** The log up to the last event that the holder wrote and knows of. */
async function ownLog({ store, unknown }: Life): Promise<readonly LoggedEvent[]> {
  const events = await eventsOf(store, 'a')
  const last = events.findLast(({ version }) => version > 0 && !unknown.has(version))
  return events.slice(0, (last?.version ?? 1) + 1)
}

const endsOf: Readonly<Record<string, readonly ExecutionEvent['type'][]>> = {
  locked: ['locked'],
  running: ['locked'],
  settling: ['locked'],
  parked: ['locked'],
  retrying: ['temporarily_failed', 'temporarily_timed_out'],
  unlocked: ['unlocked'],
  paused: ['paused'],
  finished: ['finished'],
}

const statusOf: Readonly<Record<string, string>> = {
  locked: 'locked',
  running: 'locked',
  settling: 'locked',
  parked: 'locked',
  retrying: 'pending_at',
  unlocked: 'pending_at',
  paused: 'pending_at',
  finished: 'finished',
}

/** The actor's state is that of the log up to its own last event; or it knows that it is not. */
async function checkAgreement(life: Life): Promise<void> {
  const value = String(life.value())
  const log = await eventsOf(life.store, 'a')
  const own = await ownLog(life)
  const gaveUp = life.worker.runs.some(({ run }) => run.abortReason() === 'released')
  const knows = value !== 'superseded' || log.length > own.length || gaveUp
  expect(knows, 'only who learnt of a later event is superseded').toBe(true)
  const state = foldHistory({ executionId: a, events: own, responses: [] })
  const last = own.at(-1)?.event.type
  const expected = value === 'superseded' ? [last] : endsOf[value]
  expect(expected, value).toContain(last)
  expect(statusOf[value] ?? state.status, value).toBe(state.status)
  expect(statusOf[value] === 'locked' ? life.held.known() : state).toEqual(state)
}

/** Once healed, everything ends: nothing is held any more, and the log says why. */
async function checkEnd(life: Life): Promise<void> {
  await life.play({ type: 'heal' })
  await life.play({ type: 'end', result: { type: 'run_finished', outcome: { type: 'ok' } } })
  await life.play({ type: 'advance', by: 5000 })
  await checkAgreement(life)
  expect(['retrying', 'unlocked', 'paused', 'parked', 'finished', 'superseded']).toContain(
    life.value(),
  )
}

describe(`held execution (seed ${seed})`, () => {
  it.each([true, false])(
    'agree: the actor is where the fold of its own log is, after every step (deaf: %s)',
    async (deaf) => {
      const kinds = fc.constantFrom('activity', 'workflow')
      await fc.assert(
        fc.asyncProperty(kinds, steps, fc.boolean(), async (kind, script, obeys) => {
          const life = await openLife(kind, deaf, obeys)
          for (const step of script) {
            await life.play(step)
            await checkAgreement(life)
          }
          await checkEnd(life)
          await life.done(life.store.close())
        }),
        { seed, numRuns },
      )
    },
  )

  it('learn: told of a later event while nothing is being written, it is superseded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('activity', 'workflow'), steps, async (kind, script) => {
        const life = await openLife(kind, true, true)
        for (const step of script) await life.play(step)
        await life.play({ type: 'heal' })
        await life.play({ type: 'advance', by: 5000 })
        await life.play({ type: 'steal' })
        const wasOver = !['locked', 'running', 'settling'].includes(String(life.value()))
        await life.play({ type: 'look' })
        const log = await eventsOf(life.store, 'a')
        const isBehind = log.length > (await ownLog(life)).length
        const expected = wasOver || !isBehind ? life.value() : 'superseded'
        expect(life.value()).toBe(expected)
        expect(['locked', 'running', 'settling']).not.toContain(life.value())
        await life.done(life.store.close())
      }),
      { seed, numRuns: 100 },
    )
  })
})
