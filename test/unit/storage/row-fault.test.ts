import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { isRowFault } from '../../../src/storage/row-fault.ts'

const corrupt = (fields: Readonly<Record<string, unknown>>): SteleError =>
  new SteleError('storage_corrupt', 'broken', { fields })

describe('isRowFault', () => {
  it('a column that says nothing, or a log that cannot be', () => {
    expect(isRowFault(corrupt({ executionId: 'a', column: 'retry' }))).toBe(true)
  })

  it('a page that only one operation reads', () => {
    expect(isRowFault(corrupt({ file: 'a.db', isolated: true }))).toBe(true)
  })

  it('not a database that cannot be read at all, and nothing else', () => {
    expect(isRowFault(corrupt({ file: 'a.db' }))).toBe(false)
    expect(isRowFault(new SteleError('storage_full', 'full'))).toBe(false)
    expect(isRowFault(new Error('storage_corrupt'))).toBe(false)
  })
})
