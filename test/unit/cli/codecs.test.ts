/** How values are read. */

import { expect, test } from 'vitest'
import { defaultCodec } from '../../../src/base/codec.ts'
import { readableCodec, storedCodec } from '../../../src/cli/codecs.ts'

test('for people, as the code saw them', () => {
  const stored = defaultCodec.encode(new Map([[1, 2n]]))
  expect(readableCodec.decode(stored)).toEqual(new Map([[1, 2n]]))
})

test('for people, what only another codec can read is shown as it is stored', () => {
  const stored = { $devalue: 'not of devalue' }
  expect(readableCodec.decode(stored)).toBe(stored)
})

test('for programs, always as stored', () => {
  const stored = defaultCodec.encode(new Map([[1, 2]]))
  expect(storedCodec.decode(stored)).toBe(stored)
})
