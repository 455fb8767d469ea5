import { expect, it } from 'vitest'
import { illegal } from '../../../src/model/refusal.ts'

it('illegal: names the reason', () => {
  expect(illegal('blocked')).toEqual({ kind: 'illegal_state', reason: 'blocked' })
})
