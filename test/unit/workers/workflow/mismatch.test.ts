import { describe, expect, it } from 'vitest'
import { type Codec, defaultCodec } from '../../../../src/base/codec.ts'
import {
  type CallHistoryEvent,
  describeCall,
  describeMismatch,
  hashOfInput,
  isSameCall,
  mismatchError,
} from '../../../../src/workers/workflow/mismatch.ts'
import { executionId, joinSet } from '../../../support/storage/ids.ts'
import { child, delay } from './test-frame.ts'

const set = joinSet('n:s')
const act = { kind: 'activity', name: 'act', version: '1' } as const

/** One event of each kind of call, and what people read of it. */
const calls = {
  create: [{ type: 'join_set_create', seq: 1, joinSetId: set }, 'call 1 opens join set n:s'],
  child: [
    {
      type: 'join_set_request',
      seq: 1,
      joinSetId: set,
      kind: 'child',
      childExecutionId: child('n:s'),
      function: act,
      input: { b: 1, a: 2 },
      result: 'ok',
    },
    'call 1 runs activity act({"a":2,"b":1}) as e.n:s_1',
  ],
  delay: [
    {
      type: 'join_set_request',
      seq: 1,
      joinSetId: set,
      kind: 'delay',
      delayId: delay('n:s'),
      dueAt: 9,
      intent: { type: 'in', in: 500 },
    },
    'call 1 starts delay Delay_e.n:s_1 (in 500 ms)',
  ],
  next: [{ type: 'join_next', seq: 1, joinSetId: set, closing: false }, 'call 1 awaits n:s'],
  closing: [{ type: 'join_next', seq: 1, joinSetId: set, closing: true }, 'call 1 closes n:s'],
  look: [
    { type: 'join_next_try', seq: 1, joinSetId: set, outcome: 'found' },
    'call 1 looks into n:s',
  ],
  tooMany: [
    { type: 'join_next_too_many', seq: 1, joinSetId: set },
    'call 1 awaits n:s, of which nothing is open',
  ],
  withdraw: [
    { type: 'join_next_withdraw', seq: 1, joinSetId: set },
    'call 1 gives up awaiting n:s',
  ],
  schedule: [
    {
      type: 'schedule',
      seq: 1,
      executionId: executionId('E_1'),
      function: act,
      intent: { type: 'now' },
      result: 'ok',
    },
    'call 1 schedules activity act(undefined) (at once)',
  ],
} as const satisfies Readonly<Record<string, readonly [CallHistoryEvent, string]>>

const same = (recorded: object, actual: object, codec: Codec = defaultCodec): boolean =>
  isSameCall(codec, recorded as CallHistoryEvent, actual as CallHistoryEvent)

describe('isSameCall', () => {
  const events = Object.values(calls).map(([event]) => event)

  it('same: each call is itself, and none of the others', () => {
    for (const [place, event] of events.entries()) {
      const equal = events.map((other) => same(event, other))
      expect(equal.indexOf(true)).toBe(place)
      expect(equal.filter(Boolean)).toHaveLength(1)
    }
  })

  it.each(Object.entries(calls))('same: %s with another number is not', (_, [event]) => {
    expect(same(event, { ...event, seq: 2 })).toBe(false)
  })

  it.each([
    ['create', { joinSetId: joinSet('n:t') }],
    ['child', { joinSetId: joinSet('n:t') }],
    ['child', { childExecutionId: child('n:s', 2) }],
    ['child', { function: { ...act, name: 'other' } }],
    ['child', { function: { ...act, kind: 'workflow' } }],
    ['child', { input: { a: 2, b: 2 } }],
    ['child', { input: undefined }],
    ['delay', { delayId: delay('n:s', 2) }],
    ['delay', { intent: { type: 'in', in: 501 } }],
    ['delay', { intent: { type: 'at', at: 500 } }],
    ['next', { requestedFunction: 'act' }],
    ['schedule', { executionId: executionId('E_2') }],
    ['schedule', { intent: { type: 'at', at: 5 } }],
    ['schedule', { input: 5 }],
  ] as const)('same: %s with %j is not', (name, change) => {
    const [event] = calls[name]
    expect(same(event, { ...event, ...change })).toBe(false)
    expect(same({ ...event, ...change }, event)).toBe(false)
  })

  it.each([
    ['create', { concurrency: 5 }],
    ['child', { function: { ...act, version: '2' } }],
    ['child', { input: { a: 2, b: 1 } }],
    ['delay', { dueAt: 99_999 }],
    ['delay', { paused: true }],
    ['look', { outcome: 'pending' }],
    ['next', { seenCursor: 5, runExpiresAt: 5 }],
  ] as const)('same: what was only measured is not compared: %s with %j', (name, change) => {
    const [event] = calls[name]
    expect(same(event, { ...event, ...change })).toBe(true)
    expect(same({ ...event, ...change }, event)).toBe(true)
  })

  it('input: what the code passes now is compared with what it passed then', () => {
    const [event] = calls.child
    const recorded = { ...event, input: 'parsed', givenHash: hashOfInput(defaultCodec, 'given') }
    expect(same(recorded, { ...event, input: 'given' })).toBe(true)
    expect(same(recorded, { ...event, input: 'parsed' })).toBe(false)
  })

  it('input: of one that was refused in a form that cannot be stored, nothing is left', () => {
    const [event] = calls.child
    const { input: _gone, ...without } = event
    const recorded = { ...without, result: 'invalid_input', reason: 'no' } as const
    expect(same(recorded, { ...event, input: 'anything' })).toBe(true)
    expect(
      same({ ...recorded, givenHash: hashOfInput(defaultCodec, 5) }, { ...event, input: 6 }),
    ).toBe(false)
  })

  it('intent: of one kind, by its value', () => {
    const [event] = calls.delay
    const at = { ...event, intent: { type: 'at', at: 5 } } as const
    expect(same(at, at)).toBe(true)
    expect(same(at, { ...at, intent: { type: 'at', at: 6 } })).toBe(false)
    expect(same(at, { ...at, intent: { type: 'now' } })).toBe(false)
  })

  it('B35: errors are compared by what they say, whatever their stacks', () => {
    const [event] = calls.child
    const stored = (message: string, stack: string) => {
      const error = Object.assign(new Error(message), { stack })
      return { ...event, input: defaultCodec.encode({ error }) }
    }
    expect(same(stored('no', 'at a.ts:1'), stored('no', 'at b.ts:2'))).toBe(true)
    expect(same(stored('no', 'at a.ts:1'), stored('yes', 'at a.ts:1'))).toBe(false)
  })

  it('codec: one that throws compares nothing', () => {
    const broken = {
      ...defaultCodec,
      decode: () => {
        throw new Error('broken')
      },
    }
    const [event] = calls.child
    expect(same(event, { ...event, input: 5 }, broken)).toBe(false)
    expect(same(event, { ...event }, broken)).toBe(true)
  })
})

describe('for people', () => {
  it.each(Object.entries(calls))('describeCall: %s', (_, [event, text]) => {
    expect(describeCall(event)).toBe(text)
  })

  it('describeCall: when a delay or an execution is due', () => {
    const [event] = calls.schedule
    expect(describeCall({ ...event, intent: { type: 'at', at: 5 } })).toContain('(at 5)')
    expect(describeCall({ ...event, intent: { type: 'in', in: 5 } })).toContain('(in 5 ms)')
  })

  it('describeCall: long inputs are cut', () => {
    const text = describeCall({ ...calls.child[0], input: 'x'.repeat(1_000) })
    expect(text.length).toBeLessThan(300)
    expect(text).toContain('…')
  })

  it('describeMismatch: version, expected, actual, and what to do', () => {
    const mismatch = { version: 7, expected: 'call 1 awaits n:s', actual: 'does nothing more' }
    expect(describeMismatch(mismatch)).toMatch(
      /at version 7: expected call 1 awaits n:s; the code: does nothing more\. .*patched.*unpause/,
    )
    expect(mismatchError('e', mismatch)).toMatchObject({
      code: 'nondeterminism',
      message: expect.stringMatching(/^e: /),
      fields: { executionId: 'e', ...mismatch },
    })
  })
})
