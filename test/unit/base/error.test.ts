import { describe, expect, it, vi } from 'vitest'
import { errorTable, isSteleError, SteleError } from '../../../src/base/error.ts'

describe('error table', () => {
  it.each(Object.entries(errorTable))(
    'table: %s is snake case and says a sentence',
    (code, text) => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(text).toMatch(/^[A-Z].+\.$/)
    },
  )
})

describe('SteleError', () => {
  const error = new SteleError('execution_not_found', 'No such execution.', {
    fields: { executionId: 'E_1' },
    cause: 'why',
  })

  it('class: is an Error with code, fields, message, cause and name', () => {
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'SteleError',
      code: 'execution_not_found',
      message: 'No such execution.',
      fields: { executionId: 'E_1' },
      cause: 'why',
    })
  })

  it('class: without options there is neither cause nor field', () => {
    const bare = new SteleError('internal', 'Oh.')
    expect(bare.fields).toEqual({})
    expect('cause' in bare).toBe(false)
  })

  it('toJSON: plain data without stack and cause', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'SteleError',
      code: 'execution_not_found',
      message: 'No such execution.',
      fields: { executionId: 'E_1' },
    })
  })

  it('mark: is not seen among the properties', () => {
    expect(Object.keys(error)).toEqual(['name', 'code', 'fields'])
    const enumerable = Object.assign({}, error)
    expect(Object.getOwnPropertySymbols(enumerable)).toEqual([])
  })
})

describe('isSteleError', () => {
  const error = new SteleError('lock_lost', 'Gone.')

  it('code: asked for, it must be that one', () => {
    expect(isSteleError(error)).toBe(true)
    expect(isSteleError(error, 'lock_lost')).toBe(true)
    expect(isSteleError(error, 'internal')).toBe(false)
  })

  it('copies: two copies of the package recognise each other', async () => {
    vi.resetModules()
    const copy = await import('../../../src/base/error.ts')
    expect(copy.SteleError).not.toBe(SteleError)
    const foreign = new copy.SteleError('lock_lost', 'Gone.')
    expect(foreign).not.toBeInstanceOf(SteleError)
    expect(isSteleError(foreign, 'lock_lost')).toBe(true)
    expect(copy.isSteleError(error, 'lock_lost')).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'lock_lost'],
    ['another error', new Error('lock_lost')],
    ['something alike', { name: 'SteleError', code: 'lock_lost', message: '', fields: {} }],
    ['a function', () => error],
    ['a mark without a code', { [Symbol.for('stele.error')]: true }],
    [
      'a hostile proxy',
      new Proxy(
        {},
        {
          has: () => {
            throw new TypeError('boom')
          },
        },
      ),
    ],
  ])('others: %s is not one of ours', (_, value) => {
    expect(isSteleError(value, 'lock_lost')).toBe(false)
  })
})
