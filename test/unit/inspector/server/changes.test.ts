import { expect, test } from 'vitest'
import {
  changedIdsMax,
  changesInterval,
  watchChanges,
} from '../../../../src/inspector/server/changes.ts'
import type { ExecutionState } from '../../../../src/model/state.ts'
import type { Notice } from '../../../../src/storage/notice.ts'
import { createNotifications, foreignPollInterval } from '../../../../src/storage/notifications.ts'
import { createTestClock, createTestScheduler } from '../../../support/test-time.ts'

function openFeed() {
  const scheduler = createTestScheduler(createTestClock())
  let isForeign = false
  const notifications = createNotifications({ scheduler, hasForeignChanges: () => isForeign })
  const told: object[] = []
  const cancel = watchChanges({ notifications, scheduler, tell: (message) => told.push(message) })
  const commit = (...ids: readonly string[]): void => {
    notifications.publish(ids.map(changed))
  }
  return { scheduler, notifications, told, cancel, commit, setForeign: () => (isForeign = true) }
}

function changed(id: string): Notice {
  return { topic: 'execution', state: { executionId: id } as unknown as ExecutionState }
}

test('many commits are one message, a moment later', async () => {
  const { scheduler, told, commit } = openFeed()
  commit('a')
  commit('b', 'a')
  expect(told).toEqual([])
  await scheduler.advance(changesInterval)
  expect(told).toEqual([{ type: 'changes', ids: ['a', 'b'], more: false }])
  await scheduler.advance(10 * changesInterval)
  expect(told.length).toBe(1)
})

test('more than can be named are said to be more', async () => {
  const { scheduler, told, commit } = openFeed()
  const ids = Array.from({ length: changedIdsMax + 1 }, (_, index) => `e-${index}`)
  commit(...ids)
  await scheduler.advance(changesInterval)
  expect(told).toEqual([{ type: 'changes', ids: ids.slice(0, changedIdsMax), more: true }])
})

test('commits of others are said to be more as well', async () => {
  const { scheduler, told, setForeign } = openFeed()
  setForeign()
  await scheduler.advance(foreignPollInterval + changesInterval)
  expect(told[0]).toEqual({ type: 'changes', ids: [], more: true })
})

test('once cancelled nothing is told, and nobody listens', async () => {
  const { scheduler, told, commit, cancel } = openFeed()
  commit('a')
  cancel()
  commit('b')
  await scheduler.advance(10 * changesInterval)
  expect(told).toEqual([])
})
