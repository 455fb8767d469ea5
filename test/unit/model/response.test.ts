import { expect, expectTypeOf, it } from 'vitest'
import { type ExecutionResponse, responseTypes } from '../../../src/model/response.ts'

it('responses: three names, those of the union', () => {
  expect(responseTypes).toEqual(['child_finished', 'delay_finished', 'message'])
  expectTypeOf<ExecutionResponse['type']>().toEqualTypeOf<(typeof responseTypes)[number]>()
})
