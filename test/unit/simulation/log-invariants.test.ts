import { describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { backoffLimit } from '../../../src/model/retry.ts'
import type { InvariantView } from '../../../src/simulation/invariant.ts'
import { createLogInvariants, firstOf, ofChanges } from '../../../src/simulation/log-invariants.ts'
import {
  blocked,
  events,
  finished,
  lock,
  locked,
  me,
  now,
  pending,
  stranger,
} from '../model/builders.ts'
import { change, logOf, step, verdict, view } from './views.ts'

const { created, temporarily_failed, wait, patched, finished_ok, finished_timed_out } = events
const failedAfter = (backoff: number): ExecutionEvent => ({
  ...temporarily_failed,
  backoffExpiresAt: now + backoff,
})

/** A log with so many failures, and the event that is added to it. */
const afterFailures = (failures: number, event: ExecutionEvent) => {
  const log = logOf(created, ...Array.from({ length: failures }, () => temporarily_failed), event)
  return { log, version: failures + 1 }
}

const backoffView = (
  failures: number,
  waited: number,
  retry = { maxRetries: null, backoff: 50 },
) => {
  const { log, version } = afterFailures(failures, failedAfter(waited))
  const steps = [step(failedAfter(waited), { before: locked({ retry }), version })]
  return view([change({ steps, events: log })])
}

/** A lock that engine-0 takes, and then an event of `process`. */
const twoCommits = (process: string, event: ExecutionEvent): readonly InvariantView[] => [
  view([change({ steps: [step(lock(), { before: pending() })] })]),
  view([change({ steps: [step(event, { before: locked() })] })], { process }),
]

/** A lock that engine-0 takes, and that engine-1 frees at this instant. */
const freedAt = (createdAt: number): readonly InvariantView[] => [
  view([change({ steps: [step(lock(), { before: pending() })] })]),
  view([change({ steps: [step(finished_timed_out, { before: locked(), createdAt })] })], {
    process: 'engine-1',
  }),
]

interface Example {
  readonly name: string
  readonly broken: readonly InvariantView[]
  readonly held: readonly InvariantView[]
}

const one = (event: ExecutionEvent, part: Parameters<typeof step>[1]): readonly InvariantView[] => [
  view([change({ steps: [step(event, part)] })]),
]

const examples: readonly Example[] = [
  {
    name: 'versions are dense',
    broken: [view([change({ state: pending({ version: 2 }), events: logOf(created, wait) })])],
    held: [view([change({ state: pending({ version: 1 }), events: logOf(created, wait) })])],
  },
  {
    name: 'created comes first, and once',
    broken: one(created, { version: 1 }),
    held: one(created, { version: 0 }),
  },
  {
    name: 'nothing follows finished',
    broken: one(lock(), { before: finished() }),
    held: one(finished_ok, { before: locked() }),
  },
  {
    name: 'no lock is taken while somebody holds it',
    broken: one(lock(stranger), { before: locked() }),
    held: one(lock(me), { before: locked() }),
  },
  {
    name: 'executors belong to one process',
    broken: twoCommits('engine-1', lock()),
    held: twoCommits('engine-0', lock()),
  },
  {
    name: 'only the holder of the lock writes its result',
    broken: twoCommits('engine-1', finished_ok),
    held: twoCommits('engine-0', finished_ok),
  },
  {
    name: 'others free a lock only when it has run out',
    broken: freedAt(locked().lockExpiresAt - 1),
    held: freedAt(locked().lockExpiresAt),
  },
  {
    name: 'nothing is locked before it is due',
    broken: one(lock(), { before: pending({ scheduledAt: now + 1 }) }),
    held: one(lock(), { before: pending({ scheduledAt: now }) }),
  },
  {
    name: 'nothing is locked while it is paused',
    broken: one(lock(), { before: pending({ paused: true }) }),
    held: one(events.unpaused, { before: pending({ paused: true }) }),
  },
  {
    name: 'after a cancellation no run writes',
    broken: one(patched, { before: locked({ cancelling: true }) }),
    held: one(events.finished_cancelled, { before: locked({ cancelling: true }) }),
  },
  {
    name: 'attempts are counted',
    broken: [
      view([change({ state: pending({ failures: 2 }), events: logOf(temporarily_failed) })]),
    ],
    held: [view([change({ state: pending({ failures: 1 }), events: logOf(temporarily_failed) })])],
  },
  {
    name: 'no more retries than allowed',
    broken: one(temporarily_failed, {
      before: locked({ retry: { maxRetries: 3, backoff: 1 } }),
      after: pending({ failures: 4 }),
    }),
    held: one(temporarily_failed, {
      before: locked({ retry: { maxRetries: 3, backoff: 1 } }),
      after: pending({ failures: 3 }),
    }),
  },
  {
    name: 'what times out is retried while it may be',
    broken: one(finished_timed_out, {
      before: locked({ failures: 2, retry: { maxRetries: 3, backoff: 1 } }),
    }),
    held: one(finished_timed_out, {
      before: locked({ failures: 3, retry: { maxRetries: 3, backoff: 1 } }),
    }),
  },
  {
    name: 'backoff doubles from one attempt to the next',
    broken: [backoffView(2, 100)],
    held: [backoffView(2, 200)],
  },
  {
    name: 'a run never unsees a response',
    broken: [
      view([
        change({
          steps: [step({ ...wait, seenCursor: 5 }, { before: locked(), version: 1 })],
          events: logOf({ ...wait, seenCursor: 6 }, { ...wait, seenCursor: 5 }),
        }),
      ]),
    ],
    held: [
      view([
        change({
          steps: [step({ ...wait, seenCursor: 6 }, { before: locked(), version: 1 })],
          events: logOf({ ...wait, seenCursor: 6 }, { ...wait, seenCursor: 6 }),
        }),
      ]),
    ],
  },
  {
    name: 'the state row is the fold of log and inbox',
    broken: [view([change({ state: pending(), folded: pending({ failures: 3 }) })])],
    held: [view([change({ state: pending(), folded: pending({ parent: undefined }) })])],
  },
]

describe.each(examples)('$name', ({ name, broken, held }) => {
  it('is seen to be broken, with the id of whose log it is', () => {
    expect(verdict(createLogInvariants(), name, broken)).toMatch(/\ba\b|executor /)
  })

  it('is said to hold when it does', () => {
    expect(verdict(createLogInvariants(), name, held)).toBeUndefined()
  })
})

describe('only the holder of the lock writes history', () => {
  const name = 'only the holder of the lock writes history'
  /** All of them, in order: the fence learns from another invariant. */
  const say = (views: readonly InvariantView[]): readonly string[] => {
    const invariants = createLogInvariants()
    const said = views.map((each) =>
      invariants.flatMap((invariant) => {
        const message = invariant.check(each)
        return message === undefined || invariant.name !== name ? [] : [message]
      }),
    )
    return said.at(-1) ?? []
  }

  it('is broken by what is written without a lock', () => {
    expect(say(one(patched, { before: pending() }))).toEqual([
      'a v1 patched while it is pending_at',
    ])
    expect(say(one(patched, {}))).toEqual(['a v1 patched while it is not there'])
  })

  it('is broken by another process than the one that took the lock', () => {
    expect(say(twoCommits('engine-1', patched))).toEqual([
      'a v1 patched is written by engine-1; engine-0 holds the lock',
    ])
  })

  it('holds for the process that took the lock, and for what is no history', () => {
    expect(say(twoCommits('engine-0', patched))).toEqual([])
    expect(say(twoCommits('engine-1', temporarily_failed))).toEqual([])
  })

  it('is learned anew in each simulation', () => {
    say(twoCommits('engine-0', patched))
    const alone = view([change({ steps: [step(patched, { before: locked() })] })])
    expect(say([{ ...alone, process: 'engine-7' }])).toEqual([])
  })
})

it('every invariant of logs has an example of both kinds', () => {
  const names = examples.map(({ name }) => name)
  expect([...names, 'only the holder of the lock writes history'].toSorted()).toEqual(
    createLogInvariants()
      .map(({ name }) => name)
      .toSorted(),
  )
})

describe('finer points', () => {
  it('a log with a gap is not dense', () => {
    const [first, second] = logOf(created, wait)
    const gap = [first, { ...second, version: 2 }] as ReturnType<typeof logOf>
    const views = [view([change({ state: pending({ version: 2 }), events: gap })])]
    expect(verdict(createLogInvariants(), 'versions are dense', views)).toContain('at place 1')
  })

  it('the run that had an execution may take it back before it is due for others', () => {
    const views = one(lock(me), { before: pending({ scheduledAt: now + 1, lastOwner: me }) })
    expect(verdict(createLogInvariants(), 'nothing is locked before it is due', views)).toBe(
      undefined,
    )
  })

  it('what may be retried for ever is never out of retries', () => {
    const retry = { maxRetries: null, backoff: 1 }
    const views = one(temporarily_failed, {
      before: locked({ retry }),
      after: pending({ failures: 1_000 }),
    })
    expect(verdict(createLogInvariants(), 'no more retries than allowed', views)).toBeUndefined()
    const timedOut = one(finished_timed_out, { before: locked({ failures: 1_000, retry }) })
    expect(
      verdict(createLogInvariants(), 'what times out is retried while it may be', timedOut),
    ).toContain('timed out after 1000 failures')
  })

  const backoff = 'backoff doubles from one attempt to the next'

  it('backoff grows up to its limit', () => {
    const retry = { maxRetries: null, backoff: 50, maxBackoff: 120 }
    expect(verdict(createLogInvariants(), backoff, [backoffView(2, 120, retry)])).toBeUndefined()
    expect(verdict(createLogInvariants(), backoff, [backoffView(2, 200, retry)])).toContain(
      'not 120',
    )
  })

  it('backoff never grows beyond the longest there is', () => {
    const retry = { maxRetries: null, backoff: backoffLimit / 2 }
    const views = [backoffView(3, backoffLimit, retry)]
    expect(verdict(createLogInvariants(), backoff, views)).toBeUndefined()
  })

  it('backoff with jitter is not judged', () => {
    const retry = { maxRetries: null, backoff: 50, jitter: 0.5 }
    expect(verdict(createLogInvariants(), backoff, [backoffView(2, 123, retry)])).toBeUndefined()
  })

  it('of states that differ the two are shown', () => {
    const views = [view([change({ state: pending(), folded: blocked() })])]
    const said = verdict(createLogInvariants(), 'the state row is the fold of log and inbox', views)
    expect(said).toContain('"status":"pending_at"')
    expect(said).toContain('"status":"blocked"')
  })

  it('the first that is wrong is named', () => {
    const invariant = ofChanges('odd', ({ executionId }) =>
      executionId === 'a' ? undefined : `${executionId} is odd`,
    )
    const changes = ['a', 'b', 'c'].map((id) => change({ id }))
    expect(invariant.check(view(changes))).toBe('b is odd')
    expect(firstOf([], () => 'never')).toBeUndefined()
  })
})
