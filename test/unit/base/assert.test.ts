import { describe, expect, it } from 'vitest'
import { assert, unreachable } from '../../../src/base/assert.ts'
import { isSteleError } from '../../../src/base/error.ts'
import { thrownBy } from './thrown-by.ts'

describe('assert', () => {
  it('assert: an invariant that holds passes', () => {
    expect(thrownBy(() => assert(true, 'one is one'))).toBeUndefined()
  })

  it('assert: a broken invariant is an internal error that names it', () => {
    const error = thrownBy(() => assert(false, 'one exceeds two'))
    expect(isSteleError(error, 'internal')).toBe(true)
    expect(String(error)).toContain('Invariant broken: one exceeds two. Please report it.')
  })

  it('unreachable: shows the value that should not be', () => {
    const value: unknown = { kind: 'new' }
    const error = thrownBy(() => unreachable(value as never))
    expect(isSteleError(error, 'internal')).toBe(true)
    expect(String(error)).toContain('{"kind":"new"}')
  })
})
