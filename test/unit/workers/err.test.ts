import { ActivityError, err, PermanentError } from 'stele'
import { describe, expect, it } from 'vitest'
import { isActivityError, isErr, isPermanent, isPermanentError } from '../../../src/workers/err.ts'

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('hands off')
    },
  },
)

describe('err', () => {
  it('err: carries the value, and is not permanent unless told so', () => {
    expect(err({ code: 1 })).toEqual({ '~err': true, value: { code: 1 }, permanent: false })
    expect(err(1, { permanent: true }).permanent).toBe(true)
  })
})

describe('ActivityError', () => {
  it('class: an error with name, value, permanence and cause', () => {
    const cause = new Error('why')
    const error = new ActivityError({ code: 1 }, { permanent: true, cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'ActivityError',
      value: { code: 1 },
      permanent: true,
      cause,
    })
    expect(new ActivityError(1, { permanent: undefined })).toMatchObject({ permanent: false })
    expect(new ActivityError(1).permanent).toBe(false)
  })
})

describe('options', () => {
  const makers: readonly ((options: never) => unknown)[] = [
    (options) => err(1, options),
    (options) => new ActivityError(1, options),
    (options) => new PermanentError('x', options),
  ]

  it.each<[unknown]>([
    [null],
    [5],
    ['permanent'],
    [[]],
    [hostile],
    [{ permenent: true }],
    [{ permanent: 'yes' }],
    [{ permanent: null }],
  ])('refused: %#', (options) => {
    for (const make of makers) {
      expect(() => make(options as never)).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      )
    }
  })

  it('message: whatever it is, the error is made', () => {
    const messages = [null, Symbol('s'), Object.create(null), hostile].map(
      (message) => new PermanentError(message as never).message,
    )
    expect(messages).toEqual(['null', 'Symbol(s)', 'an object', 'an object'])
  })
})

describe('PermanentError', () => {
  it('class: an error with name, message and cause', () => {
    const cause = new Error('why')
    const error = new PermanentError('never', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'PermanentError', message: 'never', cause })
  })
})

describe('recognition', () => {
  it.each([
    ['err()', err(1), { err: true, activity: false, permanent: false }],
    ['ActivityError', new ActivityError(1), { err: false, activity: true, permanent: false }],
    ['PermanentError', new PermanentError('x'), { err: false, activity: false, permanent: true }],
    ['another error', new Error('x'), { err: false, activity: false, permanent: false }],
    ['null', null, { err: false, activity: false, permanent: false }],
    ['a text', '~err', { err: false, activity: false, permanent: false }],
    ['a hostile proxy', hostile, { err: false, activity: false, permanent: false }],
  ])('recognise: %s', (_, value, expected) => {
    expect({
      err: isErr(value),
      activity: isActivityError(value),
      permanent: isPermanentError(value),
    }).toEqual(expected)
  })

  it('isPermanent: only what says true, and never throws', () => {
    expect(isPermanent(err(1, { permanent: true }))).toBe(true)
    expect(isPermanent({ permanent: 'yes' })).toBe(false)
    expect(isPermanent(hostile)).toBe(false)
  })

  it('marks: do not show when an error is logged', () => {
    for (const error of [new ActivityError(1), new PermanentError('x')]) {
      expect(Object.getOwnPropertySymbols(Object.assign({}, error))).toEqual([])
    }
  })
})
