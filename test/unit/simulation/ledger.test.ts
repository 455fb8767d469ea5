import { describe, expect, it } from 'vitest'
import { createLedger } from '../../../src/simulation/ledger.ts'

const place = { at: 5, process: 'engine-0' }

describe('the ledger', () => {
  it('keeps what was done, by whom and when, in order', () => {
    const ledger = createLedger(() => place)
    ledger.record('charge', 'a', { cents: 3 })
    ledger.record('ship', 'a')
    expect(ledger.entries()).toEqual([
      { ...place, what: 'charge', key: 'a', detail: { cents: 3 } },
      { ...place, what: 'ship', key: 'a', detail: undefined },
    ])
  })

  it('finds one kind, and counts by kind and key', () => {
    const ledger = createLedger(() => place)
    for (const key of ['a', 'b', 'a']) ledger.record('charge', key)
    ledger.record('ship', 'a')
    expect(ledger.entries('ship').map(({ key }) => key)).toEqual(['a'])
    expect([ledger.count('charge'), ledger.count('charge', 'a'), ledger.count('sell')]).toEqual([
      3, 2, 0,
    ])
  })

  it('takes nothing from the dead', () => {
    let isAlive = true
    const ledger = createLedger(() => (isAlive ? place : undefined))
    ledger.record('charge', 'a')
    isAlive = false
    ledger.record('charge', 'b')
    expect(ledger.entries().map(({ key }) => key)).toEqual(['a'])
  })
})
