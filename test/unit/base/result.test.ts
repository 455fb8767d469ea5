import { expect, it } from 'vitest'
import { accept, type Result, refuse } from '../../../src/base/result.ts'

it('result: either a value or an error, told apart by ok', () => {
  const results: Result<number, string>[] = [accept(1), refuse('no')]
  expect(results).toEqual([
    { ok: true, value: 1 },
    { ok: false, error: 'no' },
  ])
  expect(results.map((result) => (result.ok ? result.value : result.error))).toEqual([1, 'no'])
})
