/** Rules of locking strategies: which versions of a function a poll takes. */

import { describe, expect } from 'vitest'
import { checkout, upgradeEvent } from '../support/storage/events.ts'
import { deploymentId } from '../support/storage/ids.ts'
import { lockTarget } from '../support/storage/requests.ts'
import { append, createWorkflow, lockAt, stateOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeLockStrategies(test: ContractTest): void {
  describe('locking: versions of a function', () => {
    const two = { ...checkout, version: '2' }

    test('L19: by_name takes any version, and runs it as its own', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const targets = [lockTarget({ function: two, strategy: 'by_name' })]
      expect(await lockAt(storage, 20, { targets, deploymentId: deploymentId(7) })).toEqual(['a'])
      expect(await stateOf(storage, 'a')).toMatchObject({
        function: two,
        deploymentId: deploymentId(7),
      })
    })

    test('L20: by_version takes its own version only', async ({ storage }) => {
      await createWorkflow(storage, 'one')
      await createWorkflow(storage, 'two', { function: two })
      const targets = [lockTarget({ function: two, strategy: 'by_version' })]
      expect(await lockAt(storage, 20, { targets })).toEqual(['two'])
      expect(await storage.findNextDue(targets)).toBeUndefined()
    })

    test('L21: auto takes any version, and leaves version and deployment as they are', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      const targets = [lockTarget({ function: two, strategy: 'auto' })]
      expect(await lockAt(storage, 20, { targets, deploymentId: deploymentId(7) })).toEqual(['a'])
      expect(await stateOf(storage, 'a')).toMatchObject({
        function: checkout,
        deploymentId: deploymentId(1),
      })
    })

    test('L22: auto takes its own version over like by_name', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const targets = [lockTarget({ strategy: 'auto' })]
      await lockAt(storage, 20, { targets, deploymentId: deploymentId(7) })
      expect(await stateOf(storage, 'a')).toMatchObject({ deploymentId: deploymentId(7) })
    })

    test('L23: auto skips what is known not to fit, until another version comes', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a', { scheduledAt: 9 })
      await append(storage, ['a', 1], [upgradeEvent({ functionVersion: '2', result: 'failed' })])
      const targets = [lockTarget({ function: two, strategy: 'auto' })]
      expect(await storage.findNextDue(targets)).toBeUndefined()
      expect(await lockAt(storage, 20, { targets })).toEqual([])
      const fixed = [lockTarget({ function: { ...checkout, version: '3' }, strategy: 'auto' })]
      expect(await storage.findNextDue(fixed)).toBe(9)
      expect(await lockAt(storage, 20, { targets: fixed })).toEqual(['a'])
    })
  })
}
