/** Rules of what a viewer reads when nobody runs: functions and executors. */

import { describe, expect } from 'vitest'
import type { RegisteredExecutor } from '../../src/storage/registry.ts'
import { charge, checkout } from '../support/storage/events.ts'
import { deploymentId, executorId } from '../support/storage/ids.ts'
import type { ContractTest } from './contract-test.ts'

function executor(index: number, part: Partial<RegisteredExecutor> = {}): RegisteredExecutor {
  return {
    executorId: executorId(index),
    deploymentId: deploymentId(),
    kind: 'activities',
    functions: ['charge', 'pack'],
    host: 'host',
    pid: 7,
    startedAt: 1,
    lastBeatAt: 1,
    ...part,
  }
}

/** Declares the rules for one adapter. */
export function describeRegistry(test: ContractTest): void {
  describe('registry: functions', () => {
    test('F1: functions are kept by kind, name and version', async ({ storage }) => {
      const seen = { firstSeenAt: 10, lastSeenAt: 10 }
      const machine = { kind: 'machine', name: 'order', version: '2' } as const
      const functions = [
        { function: machine, definition: '{"id":"order","states":{}}', ...seen },
        { function: checkout, ...seen },
        { function: charge, ...seen },
        { function: { ...charge, version: '2' }, ...seen },
      ]
      await storage.registerFunctions(functions)
      expect(await storage.listFunctions()).toEqual([
        functions[2],
        functions[3],
        functions[0],
        functions[1],
      ])
    })

    test('F2: seen again, the first sight stays, sight and definition follow', async ({
      storage,
    }) => {
      const machine = { kind: 'machine', name: 'order', version: '1' } as const
      const register = (at: number, definition: string) =>
        storage.registerFunctions([
          { function: machine, definition, firstSeenAt: at, lastSeenAt: at },
        ])
      await register(10, 'old')
      await register(20, 'new')
      expect(await storage.listFunctions()).toEqual([
        { function: machine, definition: 'new', firstSeenAt: 10, lastSeenAt: 20 },
      ])
    })

    test('F3: none are registered at once', async ({ storage }) => {
      await storage.registerFunctions([])
      expect(await storage.listFunctions()).toEqual([])
    })
  })

  describe('registry: executors', () => {
    test('F4: an executor is kept with its last beat, and its stop', async ({ storage }) => {
      await storage.beatExecutor(executor(1))
      expect(await storage.listExecutors(10)).toEqual([executor(1)])
      await storage.beatExecutor(executor(1, { lastBeatAt: 9 }))
      expect(await storage.listExecutors(10)).toEqual([executor(1, { lastBeatAt: 9 })])
      const stopped = executor(1, { lastBeatAt: 12, stoppedAt: 12 })
      await storage.beatExecutor(stopped)
      expect(await storage.listExecutors(10)).toEqual([stopped])
    })

    test('F5: the last heard of comes first, up to the limit', async ({ storage }) => {
      for (const [index, lastBeatAt] of [5, 9, 7].entries()) {
        await storage.beatExecutor(executor(index, { lastBeatAt }))
      }
      const found = await storage.listExecutors(2)
      expect(found.map(({ lastBeatAt }) => lastBeatAt)).toEqual([9, 7])
    })
  })
}
