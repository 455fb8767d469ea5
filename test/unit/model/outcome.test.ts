import { expect, expectTypeOf, it } from 'vitest'
import { type FailureKind, failureKinds, type Outcome } from '../../../src/model/outcome.ts'

it('failures: four kinds, each once', () => {
  expect(failureKinds).toEqual([
    'timed_out',
    'nondeterminism_detected',
    'cancelled',
    'uncategorized',
  ])
})

it('outcome: value and failure keep their types', () => {
  type Charged = Outcome<{ receipt: string }, 'declined'>
  expectTypeOf<Extract<Charged, { type: 'ok' }>['value']>().toEqualTypeOf<{ receipt: string }>()
  expectTypeOf<Extract<Charged, { type: 'err' }>['value']>().toEqualTypeOf<'declined'>()
  expectTypeOf<
    Extract<Charged, { type: 'execution_failure' }>['kind']
  >().toEqualTypeOf<FailureKind>()
})
