/**
 * The transition table, cell by cell. The expected table is written by hand from the rules and
 * shares nothing with the code: what it says in one place, the code says in another.
 */

import { describe, expect, it } from 'vitest'
import {
  decideCreated,
  decideEvent,
  decideResponse,
  nextVersion,
  waitAfter,
} from '../../../src/model/decide.ts'
import type { Refusal } from '../../../src/model/refusal.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import {
  blocked,
  boxes,
  deployment,
  type EventName,
  eventNames,
  events,
  executionId,
  finished,
  isEventName,
  isStateName,
  lock,
  locked,
  me,
  now,
  pending,
  type StateName,
  stateNames,
  states,
  stranger,
  workflow,
} from './builders.ts'

/*
 * Columns: P pending (due; future without owner, of this run, of another run, of a stranger),
 * L locked (by this run, the same but expired; by another run, a stranger, a stranger but expired),
 * B blocked (runExpiresAt 3000; 1000), X paused, C cancelling, F finished.
 * A cell is the next state: letters as above, `@` its instant. `=` is "as it was".
 * A cell with `!` is a refusal, see `refusals`.
 */
const table = `
event                 | P_due  | P_new   | P_mine | P_run   | P_other | L_mine | L_late | L_run    | L_other  | L_free   | B        | B_other  | XP_due   | XP       | XB
created               | !made  | !made   | !made  | !made   | !made   | !made  | !made  | !made    | !made    | !made    | !made    | !made    | !made    | !made    | !made
locked                | L@9000 | !early  | L@9000 | !early  | !early  | L@9000 | L@9000 | !locked  | !locked  | !locked  | !blocked | !blocked | !paused  | !paused  | !paused
locked_no_time        | !time  | !time   | !time  | !time   | !time   | !time  | !time  | !time    | !time    | !time    | !time    | !time    | !time    | !time    | !time
unlocked_early        | !un_P  | P@2000  | P@2000 | P@2000  | P@2000  | P@2000 | P@2000 | P@2000   | P@2000   | P@2000   | B@2000   | !un_B    | !un_X    | !un_X    | !un_X
unlocked_equal        | !un_P  | P@3000  | P@3000 | P@3000  | P@3000  | P@3000 | P@3000 | P@3000   | P@3000   | P@3000   | !un_B    | !un_B    | !un_X    | !un_X    | !un_X
unlocked_late         | !un_P  | !un_P   | !un_P  | !un_P   | !un_P   | P@6000 | P@6000 | P@6000   | P@6000   | P@6000   | !un_B    | !un_B    | !un_X    | !un_X    | !un_X
temporarily_failed    | P@1500 | P@1500  | P@1500 | P@1500  | P@1500  | P@1500 | P@1500 | P@1500   | P@1500   | P@1500   | P@1500   | P@1500   | XP@1500  | XP@1500  | XP@1500
temporarily_timed_out | P@1500 | P@1500  | P@1500 | P@1500  | P@1500  | P@1500 | P@1500 | P@1500   | P@1500   | P@1500   | P@1500   | P@1500   | XP@1500  | XP@1500  | XP@1500
finished_ok           | F@1000 | F@1000  | F@1000 | F@1000  | F@1000  | F@1000 | F@1000 | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000
finished_err          | F@1000 | F@1000  | F@1000 | F@1000  | F@1000  | F@1000 | F@1000 | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000
finished_cancelled    | F@1000 | F@1000  | F@1000 | F@1000  | F@1000  | F@1000 | F@1000 | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000
finished_timed_out    | F@1000 | F@1000  | F@1000 | F@1000  | F@1000  | F@1000 | F@1000 | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000   | F@1000
paused                | XP@1000| XP@5000 | XP@5000| XP@5000 | XP@5000 | !is_L  | !is_L  | !is_L    | !is_L    | !is_L    | XB@3000  | XB@1000  | !paused  | !paused  | !paused
unpaused              | !not_X | !not_X  | !not_X | !not_X  | !not_X  | !not_X | !not_X | !not_X   | !not_X   | !not_X   | !not_X   | !not_X   | P@1000   | P@5000   | B@3000
cancel_requested      | CP=    | CP=     | CP=    | CP=     | CP=     | CL=    | CL=    | CL=      | CL=      | CL=      | CB=      | CB=      | CXP=     | CXP=     | CXB=
upgrade_success       | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
upgrade_failed        | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_set_create       | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
child_request         | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
delay_request         | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_next             | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_next_half        | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_next_waiting     | B@1700 | B@1700  | B@1700 | B@1700  | B@1700  | B@1700 | B@1700 | B@1700   | B@1700   | B@1700   | B@1700   | B@1700   | XB@1700  | XB@1700  | XB@1700
join_next_try         | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_next_too_many    | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
join_next_withdraw    | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
wait                  | B@1700 | B@1700  | B@1700 | B@1700  | B@1700  | B@1700 | B@1700 | B@1700   | B@1700   | B@1700   | B@1700   | B@1700   | XB@1700  | XB@1700  | XB@1700
step_finished         | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
step_failed           | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
schedule              | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
stub                  | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
patched               | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
macrostep             | =      | =       | =      | =       | =       | =      | =      | =        | =        | =        | =        | =        | =        | =        | =
`

/** Once cancelled, one event remains possible; once finished, none. Same rows for all columns. */
const closedTable = `
event                 | CP      | CL      | CB      | CXP     | CXB     | F
created               | !made   | !made   | !made   | !made   | !made   | !made
locked                | !cancel | !cancel | !cancel | !cancel | !cancel | !over
locked_no_time        | !time   | !time   | !time   | !time   | !time   | !time
unlocked_early        | !cancel | !cancel | !cancel | !cancel | !cancel | !done
unlocked_equal        | !cancel | !cancel | !cancel | !cancel | !cancel | !done
unlocked_late         | !cancel | !cancel | !cancel | !cancel | !cancel | !done
temporarily_failed    | !cancel | !cancel | !cancel | !cancel | !cancel | !done
temporarily_timed_out | !cancel | !cancel | !cancel | !cancel | !cancel | !done
finished_ok           | !cancel | !cancel | !cancel | !cancel | !cancel | !done
finished_err          | !cancel | !cancel | !cancel | !cancel | !cancel | !done
finished_cancelled    | F@1000  | F@1000  | F@1000  | F@1000  | F@1000  | !done
finished_timed_out    | !cancel | !cancel | !cancel | !cancel | !cancel | !done
paused                | !cancel | !cancel | !cancel | !cancel | !cancel | !done
unpaused              | !cancel | !cancel | !cancel | !cancel | !cancel | !done
cancel_requested      | !cancel | !cancel | !cancel | !cancel | !cancel | !done
upgrade_success       | !cancel | !cancel | !cancel | !cancel | !cancel | !done
upgrade_failed        | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_set_create       | !cancel | !cancel | !cancel | !cancel | !cancel | !done
child_request         | !cancel | !cancel | !cancel | !cancel | !cancel | !done
delay_request         | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next             | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next_half        | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next_waiting     | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next_try         | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next_too_many    | !cancel | !cancel | !cancel | !cancel | !cancel | !done
join_next_withdraw    | !cancel | !cancel | !cancel | !cancel | !cancel | !done
wait                  | !cancel | !cancel | !cancel | !cancel | !cancel | !done
step_finished         | !cancel | !cancel | !cancel | !cancel | !cancel | !done
step_failed           | !cancel | !cancel | !cancel | !cancel | !cancel | !done
schedule              | !cancel | !cancel | !cancel | !cancel | !cancel | !done
stub                  | !cancel | !cancel | !cancel | !cancel | !cancel | !done
patched               | !cancel | !cancel | !cancel | !cancel | !cancel | !done
macrostep             | !cancel | !cancel | !cancel | !cancel | !cancel | !done
`

const refusals: Readonly<Record<string, Refusal>> = {
  '!made': { kind: 'invalid', reason: 'created_by_append' },
  '!time': { kind: 'invalid', reason: 'expiry_not_after_lock' },
  '!early': { kind: 'invalid', reason: 'not_yet_pending' },
  '!locked': { kind: 'illegal_state', reason: 'already_locked' },
  '!blocked': { kind: 'illegal_state', reason: 'blocked' },
  '!paused': { kind: 'illegal_state', reason: 'paused' },
  '!not_X': { kind: 'illegal_state', reason: 'not_paused' },
  '!is_L': { kind: 'illegal_state', reason: 'locked' },
  '!cancel': { kind: 'illegal_state', reason: 'cancelling' },
  '!over': { kind: 'illegal_state', reason: 'finished' },
  '!un_P': { kind: 'unlock_refused', state: 'pending' },
  '!un_B': { kind: 'unlock_refused', state: 'blocked' },
  '!un_X': { kind: 'unlock_refused', state: 'paused' },
  '!done': { kind: 'already_finished', version: 7 },
}

/** Refusals that do not wait for the version to be right: all others come after it. */
const beforeVersion = new Set(['!made', '!time', '!early', '!locked', '!blocked', '!over', '!done'])

interface Cell {
  readonly eventName: EventName
  readonly stateName: StateName
  readonly expected: string
}

function readCells(text: string): readonly Cell[] {
  const [head = '', ...rows] = text.trim().split('\n')
  const [, ...columns] = cut(head)
  return rows.flatMap((row) => {
    const [eventName = '', ...cells] = cut(row)
    return cells.map((expected, index) => cellOf(eventName, columns[index] ?? '', expected))
  })
}

function cut(line: string): readonly string[] {
  return line.split('|').map((part) => part.trim())
}

function cellOf(eventName: string, stateName: string, expected: string): Cell {
  if (!isEventName(eventName) || !isStateName(stateName)) {
    throw new TypeError(`no such cell: ${eventName}, ${stateName}`)
  }
  return { eventName, stateName, expected }
}

const cells = [...readCells(table), ...readCells(closedTable)]

const titled = cells.map((cell) => {
  return [`${cell.eventName} in ${cell.stateName}`, cell.expected, cell] as const
})

/** A state in the letters of the table. */
function lettersOf(state: ExecutionState): string {
  if (state.status === 'finished') return `F@${state.finishedAt}`
  const flags = `${state.cancelling ? 'C' : ''}${state.paused ? 'X' : ''}`
  switch (state.status) {
    case 'pending_at':
      return `${flags}P@${state.scheduledAt}`
    case 'locked':
      return `${flags}L@${state.lockExpiresAt}`
    case 'blocked':
      return `${flags}B@${state.runExpiresAt}`
    default:
      return state
  }
}

/** `=` spelled out. */
function expectedLetters({ stateName, expected }: Cell): string {
  if (!expected.endsWith('=')) return expected
  const before = lettersOf(states[stateName])
  return `${expected.startsWith('C') ? 'C' : ''}${before}`
}

function offer(state: ExecutionState, eventName: EventName, version = nextVersion(state)) {
  return decideEvent(state, { event: events[eventName], createdAt: now, version })
}

describe('decide: the whole table', () => {
  it('table: every event has a row and every state a column', () => {
    const seen = new Set(cells.map(({ eventName, stateName }) => `${eventName} ${stateName}`))
    expect(seen.size).toBe(cells.length)
    expect(cells.length).toBe(eventNames.length * stateNames.length)
    expect(cells.length).toBe(33 * 21)
  })

  it.each(titled)('table: %s gives %s', (...[, expected, cell]) => {
    const { stateName, eventName } = cell
    const decision = offer(states[stateName], eventName)
    const refusal = refusals[expected]
    const next = { letters: expectedLetters(cell), version: states[stateName].version + 1 }
    expect(
      decision.ok
        ? { letters: lettersOf(decision.value), version: decision.value.version }
        : decision.error,
    ).toEqual(refusal ?? next)
  })

  it.each(titled)('order: %s at a stale version', (...[, expected, cell]) => {
    const { stateName, eventName } = cell
    const state = states[stateName]
    const early =
      beforeVersion.has(expected) ||
      (eventName === 'locked' && ['!paused', '!cancel'].includes(expected))
    const conflict = { kind: 'version_conflict', expected: nextVersion(state), requested: 3 }
    expect(offer(state, eventName, 3)).toEqual({
      ok: false,
      error: early ? refusals[expected] : conflict,
    })
  })

  it('order: a version from the future conflicts like a stale one', () => {
    expect(offer(locked(), 'finished_ok', 9)).toEqual({
      ok: false,
      error: { kind: 'version_conflict', expected: 8, requested: 9 },
    })
  })

  it('finished: the version is that of the last event and does not advance', () => {
    const decision = offer(locked(), 'finished_ok')
    expect(decision.ok && nextVersion(decision.value)).toBe(8)
    expect(nextVersion(locked())).toBe(8)
  })
})

function after(state: ExecutionState, eventName: EventName, answeredAt?: number): ExecutionState {
  const decision = decideEvent(state, {
    event: events[eventName],
    createdAt: now,
    version: nextVersion(state),
    answeredAt,
  })
  if (!decision.ok) throw new TypeError(`refused: ${JSON.stringify(decision.error)}`)
  return decision.value
}

describe('decide: created', () => {
  it('created: gives a pending state at version 0, nothing counted, nobody’s', () => {
    const parent = { executionId, joinSetId: boxes }
    const event = { ...events.created, scheduledAt: 42, parent }
    expect(decideCreated(executionId, event, 7)).toEqual({
      status: 'pending_at',
      executionId,
      function: workflow,
      parent,
      version: 0,
      createdAt: 7,
      firstScheduledAt: 42,
      deploymentId: deployment,
      failures: 0,
      paused: false,
      cancelling: false,
      scheduledAt: 42,
    })
  })

  it('created: without a parent the state has none', () => {
    expect(decideCreated(executionId, events.created, 7).parent).toBeUndefined()
  })
})

describe('decide: waiting', () => {
  const waits = ['wait', 'join_next_waiting'] as const

  it.each(waits)('%s: answered before the run expires, due when it expires', (name) => {
    expect(lettersOf(after(locked(), name, 1200))).toBe('P@1700')
  })

  it.each(waits)('%s: answered after the run expires, due when it was answered', (name) => {
    expect(lettersOf(after(locked(), name, 1900))).toBe('P@1900')
  })

  it.each(waits)('%s: answered while paused stays paused', (name) => {
    expect(lettersOf(after(blocked({ paused: true }), name, 1900))).toBe('XP@1900')
  })

  it.each(waits)('%s: unanswered keeps what was seen', (name) => {
    expect(after(locked(), name)).toMatchObject({ status: 'blocked', seenCursor: 6 })
  })

  const asks = ['join_next', 'join_next_try', 'join_next_withdraw'] as const

  it.each(asks)('ask: one that is answered already ends the wait it is added to, %s', (name) => {
    expect(lettersOf(after(blocked(), name, 1900))).toBe('P@3000')
    expect(lettersOf(after(blocked(), name, 3500))).toBe('P@3500')
    expect(lettersOf(after(blocked({ paused: true }), name, 3500))).toBe('XP@3500')
  })

  it.each(asks)('ask: one that is not answered leaves the wait as it was, %s', (name) => {
    expect(after(blocked(), name)).toEqual(blocked({ version: 8 }))
  })

  it.each(asks)('ask: beside a wait there is nothing to judge, %s', (name) => {
    expect(lettersOf(after(locked(), name, 1900))).toBe('L@4000')
    expect(lettersOf(after(pending(), name, 1900))).toBe('P@900')
  })

  it('ask: an event that asks for nothing leaves a wait alone, answered or not', () => {
    expect(lettersOf(after(blocked(), 'join_set_create', 1900))).toBe('B@3000')
  })

  it('wait: what has to be judged is the wait that begins, else the one under way', () => {
    const underWay = { seenCursor: 5, runExpiresAt: 3000 }
    expect(waitAfter(blocked(), events.wait)).toEqual({ seenCursor: 6, runExpiresAt: 1700 })
    expect(waitAfter(blocked(), events.join_next)).toEqual(underWay)
    expect(waitAfter(blocked(), events.patched)).toBeUndefined()
    expect(waitAfter(locked(), events.join_next)).toBeUndefined()
    expect(waitAfter(finished(), events.join_next)).toBeUndefined()
  })

  it('join_next: without a wait an answer changes nothing', () => {
    expect(lettersOf(after(locked(), 'join_next', 1900))).toBe('L@4000')
  })
})

describe('decide: response', () => {
  const answer = { createdAt: 3500, answersAsk: true }

  it('response: wakes a blocked execution and leaves its version alone', () => {
    const woken = decideResponse(blocked(), answer)
    expect(lettersOf(woken)).toBe('P@3500')
    expect(woken.version).toBe(7)
  })

  it('response: a hot run keeps its lease', () => {
    expect(lettersOf(decideResponse(blocked({ runExpiresAt: 9999 }), answer))).toBe('P@9999')
  })

  it('response: a paused execution stays paused, its owner stays known', () => {
    const woken = decideResponse(blocked({ paused: true }), answer)
    expect(woken).toMatchObject({ status: 'pending_at', paused: true, lastOwner: me })
    expect(woken).not.toHaveProperty('seenCursor')
    expect(woken).not.toHaveProperty('runExpiresAt')
  })

  it('response: one that answers no ask wakes nobody', () => {
    const state = blocked()
    expect(decideResponse(state, { createdAt: 3500, answersAsk: false })).toBe(state)
  })

  it.each([
    ['pending_at', pending()],
    ['locked', locked()],
    ['finished', finished()],
  ] as const)('response: leaves %s as it is', (_, state) => {
    expect(decideResponse(state, answer)).toBe(state)
  })
})

describe('decide: what a transition keeps and what it clears', () => {
  const ofLock = ['lockExpiresAt', 'lastLockVersion', 'retry']

  it.each(['unlocked_early', 'temporarily_failed', 'wait', 'finished_ok'] as const)(
    '%s: clears what belongs to the lock',
    (name) => {
      const state = after(locked(), name)
      for (const key of ofLock) expect(state).not.toHaveProperty(key)
    },
  )

  it.each([
    'unlocked_early',
    'temporarily_failed',
    'temporarily_timed_out',
    'wait',
    'upgrade_success',
    'join_set_create',
    'cancel_requested',
  ] as const)('%s: keeps the last owner', (name) => {
    expect(after(locked(), name)).toMatchObject({ lastOwner: me })
  })

  it('finished: forgets owner, pause and incompatibility', () => {
    const state = after(
      pending({ paused: true, lastOwner: me, incompatibleVersion: '9' }),
      'finished_ok',
    )
    for (const key of ['lastOwner', 'paused', 'cancelling', 'incompatibleVersion', 'scheduledAt']) {
      expect(state).not.toHaveProperty(key)
    }
  })

  it.each([
    ['finished_ok', { outcomeType: 'ok' }],
    ['finished_err', { outcomeType: 'err' }],
    ['finished_cancelled', { outcomeType: 'execution_failure', failureKind: 'cancelled' }],
    ['finished_timed_out', { outcomeType: 'execution_failure', failureKind: 'timed_out' }],
  ] as const)('%s: the state says how it ended', (name, expected) => {
    const state = after(locked(), name)
    expect(state).toMatchObject({ failureKind: undefined, ...expected })
  })

  it.each(['temporarily_failed', 'temporarily_timed_out'] as const)(
    '%s: counts one failure',
    (name) => {
      expect(after(locked(), name).failures).toBe(3)
    },
  )

  it.each(
    eventNames.filter(
      (name) =>
        !name.startsWith('temporarily') &&
        !['created', 'locked_no_time', 'paused', 'unpaused'].includes(name),
    ),
  )('%s: counts no failure', (name) => {
    expect(after(locked(), name).failures).toBe(2)
  })

  it('locked: takes over owner, expiry, retry, deployment and version of the function', () => {
    const event = lock({ functionVersion: '2', retry: { maxRetries: null, backoff: 1 } })
    const decision = decideEvent(pending({ lastOwner: stranger }), {
      event,
      createdAt: now,
      version: 8,
    })
    expect(decision).toEqual({
      ok: true,
      value: {
        ...locked({ version: 8, lastLockVersion: 8, lockExpiresAt: 9000 }),
        function: { ...workflow, version: '2' },
        retry: { maxRetries: null, backoff: 1 },
      },
    })
  })

  it('locked: an extension counts as the last lock', () => {
    expect(after(locked({ lastLockVersion: 4 }), 'locked')).toMatchObject({ lastLockVersion: 8 })
  })

  it('locked: the instant at which it is due is due', () => {
    expect(after(pending({ scheduledAt: now }), 'locked').status).toBe('locked')
  })

  it('upgrade: success replaces the version and clears the incompatible one', () => {
    const state = after(blocked({ incompatibleVersion: '2' }), 'upgrade_success')
    expect(state.function).toEqual({ ...workflow, version: '2' })
    expect(state).not.toHaveProperty('incompatibleVersion')
    expect(state).toMatchObject({ seenCursor: 5, runExpiresAt: 3000 })
  })

  it('upgrade: failure only notes the version that does not fit', () => {
    const state = after(pending(), 'upgrade_failed')
    expect(state).toEqual({ ...pending(), version: 8, incompatibleVersion: '2' })
  })

  it('parent: survives every transition', () => {
    const parent = { executionId, joinSetId: boxes }
    expect(after(locked({ parent }), 'temporarily_failed').parent).toEqual(parent)
    expect(after(locked({ parent }), 'finished_ok').parent).toEqual(parent)
  })

  it('pure: no state is changed in place', () => {
    const state = Object.freeze(locked())
    for (const name of eventNames) offer(state, name)
    expect(state).toEqual(locked())
  })
})
