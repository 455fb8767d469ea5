/**
 * Commands for one execution, as arbitraries: what runs, watchers, users and children may do.
 * Instants and cursors are relative, so that a command means something wherever it is played.
 */

import * as fc from 'fast-check'
import type { ExecutionEvent } from '../../src/model/event.ts'
import type { LockOwner } from '../../src/model/state.ts'
import {
  deployment,
  eventNames,
  events,
  lock,
  me,
  named,
  stranger,
  workflow,
} from '../unit/model/builders.ts'
import type { MiniStore } from './mini-store.ts'

/** One thing that happens, so many milliseconds after the last one; clocks may go back. */
export interface Command {
  readonly name: string
  readonly after: number
  /** Plays it; `at` is the present instant. */
  readonly play: (store: MiniStore, at: number) => void
}

const joinSets = [named('a'), named('b')] as const
const owners: readonly LockOwner[] = [me, stranger]
const delta = fc.integer({ min: -50, max: 400 })
const far = fc.integer({ min: 1, max: 600 })
const joinSet = fc.constantFrom(...joinSets)

type Build = (at: number, store: MiniStore) => ExecutionEvent

function command(name: string, builds: fc.Arbitrary<Build>): fc.Arbitrary<Command> {
  return fc.tuple(delta, builds).map(([after, build]) => ({
    name,
    after,
    play: (store, at) => {
      store.append({ event: build(at, store), createdAt: at })
    },
  }))
}

function lastCursor(store: MiniStore): number {
  return store.history().responses.at(-1)?.cursor ?? 0
}

/** Where a run may have got to: nothing seen, all seen, or something between. */
const seen = fc.integer({ min: 0, max: 3 }).map((behind) => (store: MiniStore) => {
  return Math.max(0, lastCursor(store) - 2 * behind)
})

const locks = command(
  'lock',
  fc.tuple(fc.constantFrom(...owners), far).map(
    ([owner, length]): Build =>
      (at) =>
        lock({ ...owner, lockExpiresAt: at + length }),
  ),
)

const unlocks = command(
  'unlock',
  delta.map(
    (wait): Build =>
      (at) => ({ type: 'unlocked', dueAt: at + wait, reason: 'closing' }),
  ),
)

const failures = command(
  'fail',
  fc.tuple(fc.constantFrom('temporarily_failed', 'temporarily_timed_out'), far).map(
    ([type, wait]): Build =>
      (at) => ({ type, backoffExpiresAt: at + wait, reason: 'trap' }),
  ),
)

const asks = command(
  'ask',
  joinSet.map(
    (joinSetId): Build =>
      () => ({ ...events.join_next, joinSetId }),
  ),
)

const looks = command(
  'look',
  fc.tuple(joinSet, fc.constantFrom('found', 'pending')).map(
    ([joinSetId, outcome]): Build =>
      () => ({ ...events.join_next_try, joinSetId, outcome }),
  ),
)

const withdrawals = command(
  'withdraw',
  joinSet.map(
    (joinSetId): Build =>
      () => ({ ...events.join_next_withdraw, joinSetId }),
  ),
)

const waits = command(
  'wait',
  fc.tuple(seen, far).map(
    ([cursor, lease]): Build =>
      (at, store) => ({
        type: 'wait',
        seenCursor: cursor(store),
        runExpiresAt: at + lease,
      }),
  ),
)

const askingWaits = command(
  'ask and wait',
  fc.tuple(joinSet, seen, far).map(
    ([joinSetId, cursor, lease]): Build =>
      (at, store) => ({
        ...events.join_next,
        joinSetId,
        seenCursor: cursor(store),
        runExpiresAt: at + lease,
      }),
  ),
)

const pauses = command(
  'pause',
  fc.constantFrom<Build>(
    () => events.paused,
    () => events.unpaused,
  ),
)

const ends = command(
  'end',
  fc.constantFrom<Build>(
    () => events.finished_ok,
    () => events.finished_cancelled,
    () => events.cancel_requested,
  ),
)

const others = command(
  'other',
  fc.constantFrom(...eventNames).map(
    (name): Build =>
      () =>
        events[name],
  ),
)

const responses: fc.Arbitrary<Command> = fc.tuple(delta, joinSet).map(([after, joinSetId]) => ({
  name: 'respond',
  after,
  play: (store, at) => {
    store.respond({ type: 'message', joinSetId }, at)
  },
}))

const all = fc.oneof(
  { weight: 8, arbitrary: locks },
  { weight: 2, arbitrary: unlocks },
  { weight: 2, arbitrary: failures },
  { weight: 4, arbitrary: asks },
  { weight: 1, arbitrary: looks },
  { weight: 1, arbitrary: withdrawals },
  { weight: 4, arbitrary: waits },
  { weight: 4, arbitrary: askingWaits },
  { weight: 2, arbitrary: pauses },
  { weight: 2, arbitrary: ends },
  { weight: 1, arbitrary: others },
  { weight: 6, arbitrary: responses },
)

/** A life: anything in any order. What the table refuses does not happen. */
export const lives = fc.array(all, { minLength: 1, maxLength: 40 })

/** The first event of every life. */
export const birth = {
  type: 'created',
  function: workflow,
  scheduledAt: 0,
  deploymentId: deployment,
} as const
