import { defineActivity, functionRef, type Schema } from 'stele'
import { describe, expect, it } from 'vitest'
import { defaultCodec } from '../../../../src/base/codec.ts'
import { findDefinition } from '../../../../src/workers/definition.ts'
import type { AnyFunction } from '../../../../src/workers/function-ref.ts'
import {
  inputOf,
  outcomeOf,
  prepareInput,
  refusedInput,
  requestOf,
} from '../../../../src/workers/workflow/members.ts'
import { hashOfInput } from '../../../../src/workers/workflow/mismatch.ts'
import type { Recorder } from '../../../../src/workers/workflow/recorder.ts'
import { joinSet } from '../../../support/storage/ids.ts'
import { thrownBy } from '../../base/thrown-by.ts'
import { act, delay, refusing } from './test-frame.ts'

/** A recorder's options are all that is read of one. */
function recorder(...functions: readonly AnyFunction[]): Recorder {
  const known = new Map(functions.map((fn) => [fn.name, findDefinition(fn)]))
  const options = {
    codec: defaultCodec,
    valueBytes: 1_000,
    findFunction: (name: string) => known.get(name),
  }
  return { options } as never
}

/** An activity whose schema makes something else of its input. */
const parsing = (validate: (value: unknown) => unknown) =>
  defineActivity(
    {
      name: 'act',
      input: { '~standard': { version: 1, vendor: 'test', validate } } as Schema,
    },
    () => 1,
  )
const strict = defineActivity({ name: 'act', input: refusing }, () => 1)

describe('prepareInput', () => {
  it('input: the stored form, and a copy', () => {
    const input = { at: [1] }
    const { given, parse } = prepareInput(recorder(), act, input)
    input.at.push(2)
    expect(given).toEqual({ at: [1] })
    expect(parse()).toEqual({ input: { at: [1] } })
  })

  it('input: nothing stays nothing', () => {
    const { given, parse } = prepareInput(recorder(), act, undefined)
    expect([given, parse().input]).toEqual([undefined, undefined])
  })

  it('input: what the schema makes of it is executed; what was passed is remembered', () => {
    const { given, parse } = prepareInput(
      recorder(),
      parsing(() => ({ value: 'parsed' })),
      5,
    )
    expect(given).toBe(5)
    expect(parse()).toEqual({
      input: 'parsed',
      refusal: undefined,
      givenHash: hashOfInput(defaultCodec, 5),
    })
  })

  it('input: a schema that changes nothing leaves nothing to remember', () => {
    const { parse } = prepareInput(
      recorder(),
      parsing((value) => ({ value })),
      5,
    )
    expect(parse()).toEqual({ input: 5 })
  })

  it('input: the schema is asked when the call is new, and not before', () => {
    let asked = 0
    const counting = parsing((value) => {
      asked += 1
      return { value }
    })
    const { parse } = prepareInput(recorder(), counting, 5)
    expect(asked).toBe(0)
    parse()
    expect(asked).toBe(1)
  })

  it('input: one that only the schema makes fit to be stored', () => {
    const { given, parse } = prepareInput(
      recorder(),
      parsing(() => ({ value: 'parsed' })),
      () => 1,
    )
    expect(given).toBe('parsed')
    expect(parse()).toEqual({ input: 'parsed' })
  })

  it('input: what the schema refuses is a refusal with its reason', () => {
    const refusal = expect.stringMatching(/input of act is not valid: not that.*No child was/)
    const ref = functionRef<typeof act>('act')
    for (const { parse } of [
      prepareInput(recorder(), strict, 5),
      prepareInput(recorder(strict), ref, 5),
      prepareInput(recorder(), strict, () => 1),
    ]) {
      expect(parse()).toMatchObject({ input: undefined, refusal })
    }
  })

  it.each([
    ['cannot be stored', () => 1, 'value_not_storable'],
    ['is too large', 'x'.repeat(2_000), 'value_too_large'],
  ])('input: one that %s throws', (_, input, code) => {
    expect(thrownBy(() => prepareInput(recorder(), act, input))).toMatchObject({ code })
    const parsed = prepareInput(
      recorder(),
      parsing(() => ({ value: input })),
      5,
    )
    expect(thrownBy(parsed.parse)).toMatchObject({ code })
  })

  it('input: a schema that answers with a promise throws', () => {
    const { parse } = prepareInput(
      recorder(),
      parsing(() => Promise.resolve({ value: 1 })),
      1,
    )
    expect(thrownBy(parse)).toMatchObject({ code: 'invalid_option' })
  })

  it('request: the fields say what became of the input', () => {
    expect(requestOf({ input: 5, refusal: undefined, givenHash: undefined })).toEqual({
      input: 5,
      result: 'ok',
    })
    expect(requestOf({ input: undefined, refusal: 'no', givenHash: 7 })).toEqual({
      givenHash: 7,
      result: 'invalid_input',
      reason: 'no',
    })
    expect(inputOf(undefined)).toEqual({})
    expect(inputOf(null)).toEqual({ input: null })
  })

  it('refusal: the error says what was recorded', () => {
    expect(refusedInput('no good')).toMatchObject({ code: 'invalid_input', message: 'no good' })
  })
})

describe('outcomeOf', () => {
  const place = { cursor: 1, createdAt: 0, ordinal: 1, afterVersion: 0 }
  const set = joinSet('n:s')

  it('outcome: that of a child; a delay has fired or was cancelled', () => {
    const fired = { type: 'delay_finished', joinSetId: set, delayId: delay('n:s') } as const
    const outcome = { type: 'err', value: 1 } as const
    const response = { ...fired, result: 'ok' } as const
    expect(outcomeOf({ ...place, response, outcome })).toEqual(outcome)
    expect(outcomeOf({ ...place, response })).toEqual({ type: 'ok' })
    expect(outcomeOf({ ...place, response: { ...fired, result: 'cancelled' } })).toEqual({
      type: 'execution_failure',
      kind: 'cancelled',
    })
  })
})
