/** Rules of poison: a row that was set aside is in nobody's way, and says why. */

import { describe, expect } from 'vitest'
import { corruptState, repairState } from '../support/storage/corrupt.ts'
import { executionId } from '../support/storage/ids.ts'
import { lockTarget } from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import { createLocked, createWorkflow, lockAt } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const expiredAt = (locksExpiredBy: number) => ({ locksExpiredBy, delaysDueBy: 0, limit: 100 })

/** Declares the rules for one adapter. */
export function describeSettingAside(test: ContractTest): void {
  describe('setting aside', () => {
    test('B1: a row is not looked at again, and says why', async ({ storage, opened }) => {
      await createLocked(storage, 'bad')
      await createWorkflow(storage, 'worse')
      await accepted(storage.cancel({ executionId: executionId('worse'), createdAt: 20 }))
      for (const id of ['bad', 'worse']) await corruptState(opened, id)
      const { poison } = await storage.findExpired(expiredAt(2000))
      expect(poison.map(({ executionId: id }) => id)).toEqual(['bad', 'worse'])
      await storage.setAside(poison)
      for (const id of ['bad', 'worse']) await repairState(opened, id)
      const expired = await storage.findExpired(expiredAt(2000))
      expect(expired).toEqual({ locks: [], delays: [], cancelling: [], poison: [] })
      expect(await storage.findNextTimers()).toMatchObject({ lockExpiresAt: undefined })
      const report = await storage.findReport(executionId('bad'))
      expect(report?.setAside).toBe(poison[0]?.reason)
    })

    test('B2: executors neither lock it nor wait for it', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await storage.setAside([{ executionId: 'a', reason: 'why' }])
      expect(await lockAt(storage, 100)).toEqual([])
      expect(await storage.findNextDue([lockTarget()])).toBeUndefined()
    })

    test('B3: setting aside none, or what is unknown, is harmless', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await storage.setAside([])
      await storage.setAside([{ executionId: 'not an id', reason: 'why' }])
      expect(await lockAt(storage, 100)).toEqual(['a'])
    })

    test('B4: its log and state can be read, and it can be cancelled', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await storage.setAside([{ executionId: 'a', reason: 'why' }])
      const command = { executionId: executionId('a'), createdAt: 20 }
      expect(await accepted(storage.cancel(command))).toBe('cancelled')
      const report = await storage.findReport(executionId('a'))
      expect(report).toMatchObject({ setAside: 'why', state: { cancelling: true } })
    })
  })
}
