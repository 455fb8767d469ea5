import { describe, expect, it } from 'vitest'
import {
  formatJoinSetId,
  joinSetId,
  joinSetNameLengthMax,
  parseJoinSetId,
  readJoinSetId,
} from '../../../src/model/join-set.ts'

const ids = [
  ['one_off', '1-sleep', 'o:1-sleep'],
  ['one_off', '2-shop/charge_card', 'o:2-shop/charge_card'],
  ['named', 'boxes', 'n:boxes'],
  ['named', '', 'n:'],
  ['named', 'n', 'n:n'],
  ['generated', '12', 'g:12'],
  ['messages', 'approve', 'm:approve'],
] as const

describe('join set ids', () => {
  it.each(ids)('id: %s %j is %s, and back', (kind, name, text) => {
    const id = joinSetId(kind, name)
    expect(id).toEqual({ ok: true, value: text })
    expect(parseJoinSetId(text)).toEqual(id)
    expect(id.ok && formatJoinSetId(id.value)).toBe(text)
    expect(id.ok && readJoinSetId(id.value)).toEqual({ kind, name })
  })

  it('id: one name of two kinds makes two ids', () => {
    expect(joinSetId('named', '1')).not.toEqual(joinSetId('generated', '1'))
  })

  it('name: 128 characters at most', () => {
    expect(joinSetId('named', 'x'.repeat(joinSetNameLengthMax)).ok).toBe(true)
    expect(joinSetId('named', 'x'.repeat(joinSetNameLengthMax + 1))).toEqual({
      ok: false,
      error: 'invalid_name',
    })
  })

  it.each([' ', 'a b', 'a.b', 'a:b', 'é', 'a\n', '\u0000', '@'])('name: %j is refused', (name) => {
    expect(joinSetId('named', name)).toEqual({ ok: false, error: 'invalid_name' })
    expect(parseJoinSetId(`n:${name}`)).toEqual({ ok: false, error: 'invalid_name' })
  })

  it.each(['', 'n', ':', ':x', 'x:y', 'N:x', 'nn:x', 'n-x', ' n:x', '_:x'])(
    'kind: %j is refused',
    (text) => {
      expect(parseJoinSetId(text)).toEqual({ ok: false, error: 'unknown_kind' })
    },
  )
})
