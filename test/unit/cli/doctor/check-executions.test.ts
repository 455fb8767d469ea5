/** Which executions are stuck, and why. */
import { describe, expect, test } from 'vitest'
import {
  complaintOf,
  createComplaints,
  executionFindings,
  patience,
  type Surroundings,
  secondLook,
} from '../../../../src/cli/doctor/check-executions.ts'
import type { ExecutionState } from '../../../../src/model/state.ts'
import { charge, checkout } from '../../../support/storage/events.ts'
import {
  delayOf,
  deploymentId,
  executionId,
  executorId,
  runId,
} from '../../../support/storage/ids.ts'

const now = 10 * patience
const long = now - patience - 1

const alive = {
  executorId: executorId(),
  deploymentId: deploymentId(),
  kind: 'workflows',
  functions: ['checkout'],
  host: 'box',
  pid: 7,
  startedAt: 0,
  lastBeatAt: now,
}
const dead = { ...alive, lastBeatAt: 0 }
const known = [charge, checkout].map((fn) => ({ function: fn, firstSeenAt: 0, lastSeenAt: 0 }))
const around: Surroundings = { now, executors: [alive], functions: known }

const base = {
  executionId: executionId('a'),
  function: checkout,
  version: 1,
  createdAt: 0,
  firstScheduledAt: 0,
  deploymentId: deploymentId(),
  failures: 0,
  paused: false,
  cancelling: false,
} as const

const pending = { ...base, status: 'pending_at', scheduledAt: long } as const
const owner = { executorId: executorId(), runId: runId() }
const locked = {
  ...base,
  status: 'locked',
  lockExpiresAt: long,
  lastLockVersion: 1,
  lastOwner: owner,
  retry: { maxRetries: 5, backoff: 100 },
} as const
const blocked = { ...base, status: 'blocked', seenCursor: 0, runExpiresAt: 0 } as const
const finished = { ...base, status: 'finished', finishedAt: 5, outcomeType: 'ok' } as const

function complain(state: ExecutionState, part: Partial<Surroundings> = {}): string | undefined {
  return complaintOf({ state }, { ...around, ...part })?.complaint
}

describe('by the row', () => {
  test.each([
    ['has finished', finished, {}, undefined],
    ['waits', blocked, {}, undefined],
    ['is due a moment ago', { ...pending, scheduledAt: now - 1 }, {}, undefined],
    ['is late while engines run', pending, {}, 'backlog'],
    ['is late, and its engine is dead', pending, { executors: [dead] }, 'no_engine'],
    [
      'is late, and only other engines run',
      pending,
      { executors: [dead, { ...alive, functions: ['other'] }] },
      'nobody_executes',
    ],
    ['is late, and nobody ever executed it', pending, { executors: [] }, 'nobody_executes'],
    ['is a stub', { ...pending, function: charge }, {}, 'stub'],
    ['is of nobody', pending, { functions: [] }, 'unknown_function'],
    ['does not fit', { ...pending, incompatibleVersion: '2' }, {}, 'incompatible'],
    ['is paused', { ...pending, paused: true }, {}, 'paused'],
    ['is being cancelled', { ...pending, cancelling: true }, {}, 'cancelling'],
    ['runs', { ...locked, lockExpiresAt: now + 5 }, {}, undefined],
    ['was held by somebody who died', locked, {}, 'lock_expired'],
  ] as const)('one that %s', (_, state, part, complaint) => {
    expect(complain(state as ExecutionState, part)).toBe(complaint)
  })

  test('one that was set aside, with the reason', () => {
    expect(complaintOf({ state: pending, setAside: 'no retry' }, around)).toEqual({
      complaint: 'set_aside',
      why: 'no retry',
    })
  })
})

describe('by the last event', () => {
  const place = { version: 3, createdAt: long }

  test.each([
    [{ type: 'paused', reason: 'nondeterminism' }, 'paused_by_engine', 'nondeterminism'],
    [{ type: 'paused' }, 'paused', 'by hand'],
  ] as const)('paused: %j', (event, complaint, why) => {
    expect(secondLook('paused', { ...place, event }, now)).toEqual({ complaint, why })
  })

  test.each([
    [long, 'cancelling_long'],
    [now - 5, 'cancelling'],
  ])('cancelling since %i', (createdAt, complaint) => {
    const event = { type: 'cancel_requested' } as const
    expect(secondLook('cancelling', { ...place, event, createdAt }, now).complaint).toBe(complaint)
  })
})

describe('findings', () => {
  const nobodyLate = { neverWoken: [], delays: [] }
  const all = [
    'unreadable',
    'set_aside',
    'lock_expired',
    'incompatible',
    'unknown_function',
    'nobody_executes',
    'no_engine',
    'backlog',
    'stub',
    'paused',
    'paused_by_engine',
    'cancelling',
    'cancelling_long',
  ] as const

  test.each(all)('%s is a sentence', (complaint) => {
    const complaints = createComplaints()
    complaints.add(complaint, 'a: x')
    const finding = executionFindings(complaints, nobodyLate, now).find(
      ({ level }) => level !== 'ok',
    )
    expect(finding?.summary).toMatch(/^1 .*\.$/)
    expect(finding?.examples).toEqual(['a: x'])
  })

  test('notes leave all well', () => {
    const complaints = createComplaints()
    complaints.add('paused', 'a')
    const findings = executionFindings(complaints, nobodyLate, now)
    expect(findings.map(({ level }) => level)).toEqual(['ok', 'note'])
  })

  test('delays that should have fired, and executions that nothing can wake', () => {
    const late = { neverWoken: ['a'], delays: [{ delayId: delayOf('a'), dueAt: long }] }
    const findings = executionFindings(createComplaints(), late, now)
    expect(findings.map(({ level, summary }) => `${level}: ${summary}`)).toEqual([
      'problem: 1 execution wait, and nothing can wake them.',
      'problem: 1 delay should have fired by now.',
    ])
  })
})
