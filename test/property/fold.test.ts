/** The state row always equals its log and inbox, and what no state may look like. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideEvent, nextVersion } from '../../src/model/decide.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import { type ExecutionHistory, foldHistory } from '../../src/model/fold.ts'
import { eventNames, events, executionId, stateNames, states } from '../unit/model/builders.ts'
import { birth, type Command, lives } from './commands.ts'
import { createMiniStore, type MiniStore } from './mini-store.ts'

const seed = 20_260_320
const numRuns = 300

/** Plays a life, looking at the store after each command. */
function play(life: readonly Command[], look: (store: MiniStore) => void): MiniStore {
  const store = createMiniStore(executionId, birth)
  let at = 10
  for (const command of life) {
    at += command.after
    command.play(store, at)
    look(store)
  }
  return store
}

/** The history as it was when its log had this version, its inbox up to this many responses. */
function prefix(history: ExecutionHistory, version: number): ExecutionHistory {
  return {
    ...history,
    events: history.events.slice(0, version + 1),
    responses: history.responses.filter((entry) => entry.afterVersion <= version),
  }
}

describe(`fold (seed ${seed})`, () => {
  it('fold: after every command the state equals its log and inbox', () => {
    fc.assert(
      fc.property(lives, (life) => {
        play(life, (store) => {
          expect(foldHistory(store.history())).toEqual(store.state())
        })
      }),
      { seed, numRuns },
    )
  })

  it('fold: so does every prefix of a whole history', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const seen = new Map<number, unknown>()
        const store = play(life, (present) => seen.set(present.state().version, present.state()))
        for (const [version, state] of seen) {
          expect(foldHistory(prefix(store.history(), version))).toEqual(state)
        }
      }),
      { seed, numRuns },
    )
  })

  it('lives: the generator reaches every state, pauses, cancels and counts', () => {
    const reached = new Set<string>()
    for (const life of fc.sample(lives, { seed, numRuns: 3 * numRuns })) {
      play(life, (store) => {
        const state = store.state()
        if (state.status === 'finished') reached.add('finished')
        else reached.add(`${state.status} ${state.paused} ${state.cancelling}`)
        if (state.failures > 2) reached.add('fails often')
      })
    }
    expect([...reached].toSorted()).toEqual([
      'blocked false false',
      'blocked false true',
      'blocked true false',
      'blocked true true',
      'fails often',
      'finished',
      'locked false false',
      'locked false true',
      'pending_at false false',
      'pending_at false true',
      'pending_at true false',
      'pending_at true true',
    ])
  })
})

describe(`table (seed ${seed})`, () => {
  const anyState = fc.constantFrom(...stateNames.map((name) => states[name]))
  const anyInstant = fc.oneof(fc.nat(10_000), fc.maxSafeInteger(), fc.constant(-1))
  const anyEvent: fc.Arbitrary<ExecutionEvent> = fc
    .tuple(fc.constantFrom(...eventNames), anyInstant)
    .map(([name, instant]) => {
      const event: ExecutionEvent = events[name]
      if (event.type === 'locked') return { ...event, lockExpiresAt: instant }
      if (event.type === 'unlocked') return { ...event, dueAt: instant }
      return event
    })

  const anyProposal = fc.record({
    event: anyEvent,
    createdAt: anyInstant,
    version: fc.oneof(fc.integer({ min: 6, max: 9 }), anyInstant),
    answeredAt: fc.option(anyInstant, { nil: undefined }),
  })

  it('refusal: whatever is offered is answered, never thrown at, and a refusal changes nothing', () => {
    fc.assert(
      fc.property(anyState, anyProposal, (state, proposal) => {
        const before = JSON.stringify(state)
        const decision = decideEvent(state, proposal)
        expect(JSON.stringify(state)).toBe(before)
        const isNext = proposal.version === nextVersion(state)
        expect(decision.ok ? isNext : 'kind' in decision.error).toBe(true)
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('refusal: a stale writer changes no life', () => {
    fc.assert(
      fc.property(lives, fc.constantFrom(...eventNames), fc.integer(), (life, name, version) => {
        const store = play(life, () => undefined)
        const before = store.state()
        fc.pre(version !== nextVersion(before) || before.status === 'finished')
        const refusal = store.append({ event: events[name], createdAt: 0, version })
        expect(refusal).toBeDefined()
        expect(store.state()).toBe(before)
      }),
      { seed, numRuns },
    )
  })
})

/** Calls with every state that any life comes through. */
function always(check: (store: MiniStore) => void, player = playAll): void {
  fc.assert(
    fc.property(lives, (life) => {
      player(life, check)
    }),
    { seed, numRuns },
  )
}

function playAll(life: readonly Command[], look: (store: MiniStore) => void): void {
  play(life, look)
}

describe(`invariants (seed ${seed})`, () => {
  it('invariant 1: versions are dense, and the state has the last one', () => {
    always((store) => {
      const versions = store.history().events.map(({ version }) => version)
      expect(versions).toEqual(versions.map((_, index) => index))
      expect(store.state().version).toBe(versions.length - 1)
    })
  })

  it('invariant 2: created comes first and once, finished last and once', () => {
    always((store) => {
      const types = store.history().events.map(({ event }) => event.type)
      expect(types.lastIndexOf('created')).toBe(0)
      const end = types.indexOf('finished')
      expect(end < 0 || end === types.length - 1).toBe(true)
      expect(store.state().status === 'finished').toBe(end >= 0)
    })
  })

  it('invariant 7: failures are the counted events of the log', () => {
    always((store) => {
      const counted = store
        .history()
        .events.filter(({ event }) =>
          ['temporarily_failed', 'temporarily_timed_out'].includes(event.type),
        )
      expect(store.state().failures).toBe(counted.length)
    })
  })

  it('invariant 11: who is blocked has no answer that it has not seen', () => {
    always((store) => {
      const state = store.state()
      if (state.status !== 'blocked') return
      expect(store.findAnswer(state.seenCursor)).toBeUndefined()
    })
  })

  it('invariant: a pause lasts until unpaused, whatever fails or answers meanwhile', () => {
    always((store) => {
      const types = store.history().events.map(({ event }) => event.type)
      const state = store.state()
      if (state.status === 'finished') return
      expect(state.paused).toBe(types.lastIndexOf('paused') > types.lastIndexOf('unpaused'))
      expect(state.cancelling).toBe(types.includes('cancel_requested'))
      expect(state.paused && state.status === 'locked').toBe(false)
    })
  })

  it('invariant: after a cancellation only its end is appended', () => {
    always((store) => {
      const { events: log } = store.history()
      const asked = log.findIndex(({ event }) => event.type === 'cancel_requested')
      if (asked < 0) return
      const rest = log.slice(asked + 1).map(({ event }) => event)
      expect(rest.length).toBeLessThanOrEqual(1)
      expect(rest).toEqual(rest.map(() => events.finished_cancelled))
    })
  })
})
