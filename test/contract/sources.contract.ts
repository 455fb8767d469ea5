/** Rules of source texts: each is kept once, by its hash. */

import { describe, expect } from 'vitest'
import { executeSql } from '../support/storage/opened-storage.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeSources(test: ContractTest): void {
  describe('sources', () => {
    const order = { hash: 'ab', file: 'src/order.ts', text: 'const a = 1\n' }

    test('SO1: a text is found by its hash', async ({ storage }) => {
      await storage.keepSource(order, 5)
      expect(await storage.findSource('ab')).toEqual(order)
      expect(await storage.findSource('cd')).toBeUndefined()
    })

    test('SO2: it is kept once, as it was seen first', async ({ storage, opened }) => {
      await storage.keepSource(order, 5)
      await storage.keepSource({ ...order, file: 'copy/order.ts' }, 9)
      expect(await storage.findSource('ab')).toEqual(order)
      const rows = await executeSql(opened, 'SELECT hash, first_seen_at_ms FROM sources')
      expect(rows).toEqual([{ hash: 'ab', first_seen_at_ms: 5 }])
    })
  })
}
