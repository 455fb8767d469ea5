import { describe, expect, it } from 'vitest'
import type { StoredError } from '../../../src/model/outcome.ts'
import {
  aggregatePartsMax,
  causeDepthMax,
  describeThrown,
  errorsKeptMax,
  reasonLengthMax,
  reviveError,
} from '../../../src/workers/stored-error.ts'

const limit = 64 * 1024

function bytesOf(text: string | undefined): number {
  return new TextEncoder().encode(text).length
}

/** All errors in a stored one, itself included. */
function countErrors({ cause, errors = [] }: StoredError): number {
  const inner = cause === undefined ? errors : [cause, ...errors]
  return inner.reduce((sum, part) => sum + countErrors(part), 1)
}

function chain(depth: number): Error {
  return new Error(`level ${depth}`, depth === 0 ? {} : { cause: chain(depth - 1) })
}

function depthOf({ cause }: StoredError): number {
  return cause === undefined ? 0 : 1 + depthOf(cause)
}

describe('describeThrown', () => {
  it('describe: name, message, code and stack are kept', () => {
    const error = Object.assign(new TypeError('no'), { code: 'E_NO' })
    const thrown = describeThrown(error, limit)
    expect(thrown).toEqual({
      reason: 'no',
      detail: error.stack,
      error: { name: 'TypeError', message: 'no', code: 'E_NO', stack: error.stack },
    })
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, '5'],
    ['text', 'text'],
    [10n, '10'],
    [Symbol('s'), 'Symbol(s)'],
  ])('describe: %s is no error, and is told as text', (value, text) => {
    expect(describeThrown(value, limit)).toEqual({
      reason: text,
      error: { name: 'NonError', message: text },
    })
  })

  it('describe: an object without a message is told as JSON', () => {
    expect(describeThrown({ status: 503 }, limit)).toEqual({
      reason: '{"status":503}',
      error: { name: 'Error', message: '{"status":503}' },
    })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 5n, {}])('code: %s is not kept', (code) => {
    expect(describeThrown(Object.assign(new Error('x'), { code }), limit).error).not.toHaveProperty(
      'code',
    )
  })

  it('code: a number is kept', () => {
    expect(describeThrown(Object.assign(new Error('x'), { code: 404 }), limit).error.code).toBe(404)
  })

  it('size: a message of megabytes is cut in bytes, with a marker that says how long it was', () => {
    const { reason, error } = describeThrown(new Error('€'.repeat(1024 * 1024)), limit)
    expect(error.message).toMatch(/^€+… \[cut, 3145728 bytes in all\]$/)
    expect(bytesOf(error.message)).toBeLessThan(limit + 100)
    expect(bytesOf(reason)).toBeLessThan(reasonLengthMax + 100)
  })

  it('size: a stack is cut to the limit', () => {
    const error = Object.assign(new Error('x'), { stack: 's'.repeat(200_000) })
    const { detail } = describeThrown(error, limit)
    expect(bytesOf(detail)).toBeLessThan(limit + 100)
    expect(detail).toMatch(/\[cut, 200000 bytes in all\]$/)
  })

  it('size: what fits is kept whole, to the last byte', () => {
    expect(describeThrown('ä'.repeat(50), 100).error.message).toBe('ä'.repeat(50))
    expect(describeThrown('ä'.repeat(51), 100).error.message).toBe(
      `${'ä'.repeat(50)}… [cut, 102 bytes in all]`,
    )
  })

  it('cause: a chain is followed eight deep', () => {
    expect(depthOf(describeThrown(chain(causeDepthMax), limit).error)).toBe(causeDepthMax)
    expect(depthOf(describeThrown(chain(causeDepthMax + 1), limit).error)).toBe(causeDepthMax)
  })

  it('cause: a falsy cause is a cause', () => {
    const { error } = describeThrown(new Error('x', { cause: 0 }), limit)
    expect(error.cause).toEqual({ name: 'NonError', message: '0' })
  })

  it('parts: sixteen of an AggregateError are kept', () => {
    const parts = Array.from({ length: 20 }, (_, index) => new Error(`part ${index}`))
    const { error } = describeThrown(new AggregateError(parts, 'all'), limit)
    expect(error.errors?.map(({ message }) => message)).toEqual(
      parts.slice(0, aggregatePartsMax).map(({ message }) => message),
    )
  })

  it('parts: an error that contains itself over and over is described in bounded time', () => {
    const error = new AggregateError([], 'all')
    error.errors.push(...Array.from({ length: 16 }, () => error))
    const described = describeThrown(error, limit).error
    expect(countErrors(described)).toBeLessThanOrEqual(errorsKeptMax)
  })

  it('parts: what is read before a proxy refuses is kept', () => {
    const parts = new Proxy(['first', 'second'], {
      get: (target, key): unknown => {
        if (key === '1') throw new Error('hands off')
        return Reflect.get(target, key)
      },
    })
    const { error } = describeThrown(Object.assign(new Error('x'), { errors: parts }), limit)
    expect(error.errors).toEqual([{ name: 'NonError', message: 'first' }])
  })

  it('hostile: what refuses to be read is still described', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(describeThrown(proxy, limit).reason).toBe('a value that cannot be shown')
    const getter = Object.defineProperty(new Error('x'), 'message', {
      get: () => {
        throw new Error('not for you')
      },
    })
    expect(describeThrown(getter, limit).error.name).toBe('Error')
  })
})

describe('reviveError', () => {
  it('revive: name, message, code, stack, causes and parts come back', () => {
    const error = new AggregateError([new RangeError('a'), 'b'], 'both', {
      cause: Object.assign(new TypeError('why'), { code: 'E_WHY' }),
    })
    const revived = reviveError(describeThrown(error, limit).error)
    expect(revived).toBeInstanceOf(AggregateError)
    expect(revived).toMatchObject({
      name: 'AggregateError',
      message: 'both',
      stack: error.stack,
      errors: [
        { name: 'RangeError', message: 'a' },
        { name: 'NonError', message: 'b' },
      ],
    })
    expect(revived.cause).toBeInstanceOf(Error)
    expect(revived.cause).toMatchObject({ name: 'TypeError', message: 'why', code: 'E_WHY' })
  })

  it('revive: what was not stored is not made up', () => {
    const revived = reviveError({ name: 'Error', message: 'bare' })
    expect('cause' in revived).toBe(false)
    expect('code' in revived).toBe(false)
  })
})
