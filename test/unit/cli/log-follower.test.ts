/** Following logs. */
import { expect, test } from 'vitest'
import { type FollowedEvent, followLogs } from '../../../src/cli/log-follower.ts'
import { finishedEvent, lockedEvent, unlockedEvent } from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'
import { openMemoryStorage } from '../../support/storage/opened-storage.ts'
import { append, createWorkflow } from '../../support/storage/steps.ts'

const shown = (events: readonly FollowedEvent[]): readonly string[] =>
  events.map(({ executionId: id, event }) => `${id} ${event.type}`)

test('all: what was there is not told; what is appended is, once', async () => {
  const { driver, storage } = await openMemoryStorage()
  await createWorkflow(storage, 'old')
  const follower = await followLogs({ driver, isStored: true, now: 0 })
  expect(await follower.read()).toEqual([])
  await append(storage, ['old', 1], [lockedEvent()])
  expect(shown(await follower.read())).toEqual(['old locked'])
  expect(await follower.read()).toEqual([])
})

test('all: executions that are new, and their ends', async () => {
  const { driver, storage } = await openMemoryStorage()
  const follower = await followLogs({ driver, isStored: true, now: 0 })
  await createWorkflow(storage, 'new', { createdAt: 5 })
  expect(shown(await follower.read())).toEqual(['new created'])
  await append(storage, ['new', 1], [lockedEvent(), finishedEvent()])
  expect(shown(await follower.read())).toEqual(['new locked', 'new finished'])
  expect(await follower.read()).toEqual([])
  expect(follower.isOver()).toBe(false)
})

test('all: more new ones than one page holds', async () => {
  const { driver, storage } = await openMemoryStorage()
  const follower = await followLogs({ driver, isStored: true, now: 0 })
  for (let index = 0; index < 1_100; index += 1) {
    await createWorkflow(storage, `e${index}`, { createdAt: 7 })
  }
  expect(await follower.read()).toHaveLength(1_100)
  expect(await follower.read()).toEqual([])
})

test('all: an old one is not new because time goes on', async () => {
  const { driver, storage } = await openMemoryStorage()
  await createWorkflow(storage, 'old', { createdAt: 100_000 })
  const follower = await followLogs({ driver, isStored: true, now: 100_000 })
  await createWorkflow(storage, 'later', { createdAt: 500_000 })
  expect(shown(await follower.read())).toEqual(['later created'])
  await createWorkflow(storage, 'last', { createdAt: 500_001 })
  expect(shown(await follower.read())).toEqual(['last created'])
})

test('one: its last events first, then what comes, until it has finished', async () => {
  const { driver, storage } = await openMemoryStorage()
  await createWorkflow(storage, 'one')
  await append(storage, ['one', 1], [lockedEvent(), unlockedEvent(0)])
  const options = { driver, isStored: true, now: 0, executionId: executionId('one'), lines: 2 }
  const follower = await followLogs(options)
  expect(shown(await follower.read())).toEqual(['one locked', 'one unlocked'])
  expect(follower.isOver()).toBe(false)
  await append(storage, ['one', 3], [lockedEvent(), finishedEvent()])
  expect(shown(await follower.read())).toEqual(['one locked', 'one finished'])
  expect(follower.isOver()).toBe(true)
})
