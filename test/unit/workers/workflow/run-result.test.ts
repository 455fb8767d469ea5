import { ActivityError, err, PermanentError, type Schema } from 'stele'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defaultCodec } from '../../../../src/base/codec.ts'
import type { AbortReason } from '../../../../src/engine/worker.ts'
import type { FrameEnd } from '../../../../src/workers/workflow/frame.ts'
import {
  fruitlessResult,
  type ResultOptions,
  resultOfAbort,
  resultOfEnd,
  resultOfFault,
  tooLongResult,
} from '../../../../src/workers/workflow/run-result.ts'

function optionsOf(schemas: { output?: Schema; failure?: Schema } = {}): ResultOptions {
  const definition = { settings: { output: undefined, failure: undefined, ...schemas } }
  const limits = { valueBytes: 1_000, errorDetailBytes: 1_000 }
  return { codec: defaultCodec, definition, ...limits } as never
}

const returned = (value: unknown): FrameEnd => ({ type: 'returned', value })
const threw = (error: unknown): FrameEnd => ({ type: 'threw', error })
const finished = (outcome: object) => ({ type: 'run_finished', outcome })
const fatal = (type: string, reason: unknown): unknown =>
  expect.objectContaining({
    type: 'fatal_error',
    fatal: expect.objectContaining({ type, reason }),
  })

describe('resultOfEnd', () => {
  it.each([
    ['a value', returned({ at: [1] }), finished({ type: 'ok', value: { at: [1] } })],
    ['nothing', returned(undefined), finished({ type: 'ok' })],
    ['err', returned(err('no')), finished({ type: 'err', value: 'no' })],
    ['err with nothing', returned(err(undefined)), finished({ type: 'err' })],
    ['an ActivityError', threw(new ActivityError(4)), finished({ type: 'err', value: 4 })],
    ['an error', threw(new TypeError('no')), fatal('workflow_trap', 'no')],
    ['a text', threw('no'), fatal('workflow_trap', 'no')],
    ['nothing, thrown', threw(undefined), fatal('workflow_trap', 'undefined')],
    ['a PermanentError', threw(new PermanentError('no')), fatal('workflow_trap', 'no')],
  ])('end: %s', (_, end, expected) => {
    expect(resultOfEnd(optionsOf(), end)).toEqual(expected)
  })

  it('end: what was thrown is kept, with its cause', () => {
    const error = new Error('outer', { cause: new RangeError('inner') })
    expect(resultOfEnd(optionsOf(), threw(error))).toMatchObject({
      fatal: { error: { name: 'Error', cause: { name: 'RangeError', message: 'inner' } } },
    })
  })

  it('value: is taken at the end; what happens to the object later is its own', () => {
    const value = { items: ['a'] }
    const result = resultOfEnd(optionsOf(), returned(value))
    value.items.push('late')
    expect(result).toEqual(finished({ type: 'ok', value: { items: ['a'] } }))
  })

  it.each([
    ['a result', returned({ items: [{ socket: () => 1 }] }), 'result.items[0].socket'],
    ['an error', returned(err({ socket: Symbol('s') })), 'error.socket'],
    ['a thrown error', threw(new ActivityError({ f: () => 1 })), 'error.f'],
    ['a large result', returned('x'.repeat(2_000)), 'result takes'],
  ])('B8: %s that cannot be stored is final, and names the path', (_, end, path) => {
    const reason = expect.stringContaining(path)
    expect(resultOfEnd(optionsOf(), end)).toEqual(fatal('result_not_storable', reason))
  })

  it('B8: a value that cannot be read at all is final', () => {
    const unreadable = {
      '~err': true,
      permanent: false,
      get value() {
        throw new Error('hands off')
      },
    }
    expect(resultOfEnd(optionsOf(), returned(unreadable))).toEqual(
      fatal('result_not_storable', 'the error cannot be stored: hands off'),
    )
  })

  it('schema: what it makes of the value is what is stored', () => {
    const output = z.object({ total: z.coerce.number() })
    const options = optionsOf({ output, failure: z.string().toUpperCase() })
    expect(resultOfEnd(options, returned({ total: '5' }))).toEqual(
      finished({ type: 'ok', value: { total: 5 } }),
    )
    expect(resultOfEnd(options, returned(err('no')))).toEqual(
      finished({ type: 'err', value: 'NO' }),
    )
  })

  it('schema: what it refuses is final', () => {
    const options = optionsOf({ output: z.number(), failure: z.number() })
    const reason = expect.stringMatching(/^The (result|error) is not valid/)
    for (const end of [returned('5'), returned(err('no')), threw(new ActivityError('no'))]) {
      expect(resultOfEnd(options, end)).toEqual(fatal('result_not_storable', reason))
    }
  })
})

describe('other ends', () => {
  it.each([
    ['timed_out', { type: 'temporary_timeout' }],
    ['cancelled', { type: 'already_written' }],
    ['superseded', { type: 'already_written' }],
    ['released', { type: 'executor_closing' }],
    ['stopping', undefined],
  ] as readonly (readonly [AbortReason, object | undefined])[])('abort: %s', (reason, expected) => {
    expect(resultOfAbort(reason)).toEqual(expected)
  })

  it('input: one that cannot be read is final, with the reason', () => {
    expect(
      resultOfFault(optionsOf(), { type: 'input_unreadable', error: new Error('broken') }),
    ).toEqual(fatal('input_unreadable', 'broken'))
    expect(resultOfFault(optionsOf(), { type: 'input_unreadable', error: 'broken' })).toEqual({
      type: 'fatal_error',
      fatal: { type: 'input_unreadable', reason: 'broken' },
    })
  })

  it('attention: says how many runs, or which limit, and what to do', () => {
    expect(fruitlessResult(5)).toMatchObject({
      type: 'needs_attention',
      reason: expect.stringMatching(/^5 runs in a row.*unpause$/s),
    })
    expect(tooLongResult(10)).toMatchObject({
      type: 'needs_attention',
      reason: expect.stringMatching(/`limits.eventsPerExecution` \(10\).*unpause.*`schedule`$/s),
    })
  })
})
