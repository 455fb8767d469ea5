import { describe, expect, it } from 'vitest'
import { isSteleError } from '../../../src/base/error.ts'
import {
  formatFunctionId,
  functionKinds,
  requireFunctionName,
  requireFunctionVersion,
} from '../../../src/model/function-id.ts'
import { thrownBy } from '../base/thrown-by.ts'

describe('function ids', () => {
  it('format: kind, name and version', () => {
    expect(formatFunctionId({ kind: 'activity', name: 'shop/charge', version: '1' })).toBe(
      'activity:shop/charge:1',
    )
  })

  it('format: the parts can be told apart again', () => {
    for (const kind of functionKinds) {
      const [name, version] = [requireFunctionName('a_/-9'), requireFunctionVersion('1.0.0-b+7')]
      expect(formatFunctionId({ kind, name, version }).split(':')).toEqual([kind, name, version])
    }
  })

  it.each(['a', 'Z', 'charge', 'shop/charge-card_2', 'x'.repeat(64)])('name: %s', (name) => {
    expect(requireFunctionName(name)).toBe(name)
  })

  it.each([
    '',
    '1a',
    '_a',
    '/a',
    'a b',
    ' a',
    'a:b',
    'a.b',
    'a\n',
    'é',
    'x'.repeat(65),
    7,
    undefined,
    null,
    ['a'],
  ])('name: %j is refused', (name) => {
    const error = thrownBy(() => requireFunctionName(name))
    expect(isSteleError(error, 'invalid_name')).toBe(true)
    expect(error).toMatchObject({ fields: { name } })
    expect(String(error)).toContain('is not the name of a function. Begin with a letter')
  })

  it.each(['1', '2026-03-01', 'v1.2.3+build_7', 'x'.repeat(64)])('version: %s', (version) => {
    expect(requireFunctionVersion(version)).toBe(version)
  })

  it.each(['', ' ', '1:2', 'a/b', '1\n', 'x'.repeat(65), 1, undefined])(
    'version: %j is refused',
    (version) => {
      const error = thrownBy(() => requireFunctionVersion(version))
      expect(isSteleError(error, 'invalid_name')).toBe(true)
      expect(String(error)).toContain('is not the version of a function.')
    },
  )
})
