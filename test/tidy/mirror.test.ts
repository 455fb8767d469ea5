import { expect, test } from 'vitest'
import { sourceless, untested } from './mirror.ts'

const code = { path: 'src/model/ids.ts', text: 'export const one = 1\n' }
const types = { path: 'src/model/port.ts', text: 'export interface Port {}\n' }
const mirror = { path: 'test/unit/model/ids.test.ts', text: '' }
const machine = { path: 'machines/executor.ts', text: 'export const machine = 1\n' }

test('a source file without its test is named, and where the test belongs', () => {
  expect(untested([code, machine])).toEqual([
    'src/model/ids.ts: lacks test/unit/model/ids.test.ts',
    'machines/executor.ts: lacks test/unit/machines/executor.test.ts',
  ])
})

test('a source file with its test, and one of types alone, are in order', () => {
  expect(untested([code, mirror, types])).toEqual([])
})

test('a unit test without its source file is named', () => {
  expect(sourceless([mirror])).toEqual(['test/unit/model/ids.test.ts'])
  expect(sourceless([mirror, code])).toEqual([])
})

test('a transaction may be tested by the contract of the storage instead', () => {
  const transaction = { path: 'src/storage/append.ts', text: 'export function append() {}\n' }
  const contract = { path: 'test/contract/append.contract.ts', text: '' }
  expect(untested([transaction])).toHaveLength(1)
  expect(untested([transaction, contract])).toEqual([])
})
