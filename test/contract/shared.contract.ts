/** Rules of sharing: two processes on one database are as safe as one. */

import { describe, expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { blockingAskEvent, finishedEvent, joinSetEvent } from '../support/storage/events.ts'
import { childOf, executionId, executorId, runId } from '../support/storage/ids.ts'
import type { OpenedStorage } from '../support/storage/opened-storage.ts'
import {
  activityRequest,
  appendRequest,
  createRequest,
  message,
  responseCommand,
} from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import { append, createLocked, createWorkflow, lockAt, stateOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Runs with a second storage on the same database; nothing where there can be none. */
async function withAnother(
  { openAnother }: OpenedStorage,
  run: (another: Storage) => Promise<void>,
): Promise<boolean> {
  if (openAnother === undefined) return false
  const { storage } = await openAnother()
  try {
    await run(storage)
    await checkInvariants(storage)
  } finally {
    await storage.close()
  }
  return true
}

/** Declares the rules for one adapter. */
export function describeSharing(test: ContractTest): void {
  describe('sharing a database', () => {
    test('M1: what one has committed, the other sees', async ({ storage, opened, skip }) => {
      const isShared = await withAnother(opened, async (another) => {
        const created = await createWorkflow(storage, 'a')
        expect(await another.findState(executionId('a'))).toEqual(created)
        const state = await append(another, ['a', 1], [joinSetEvent()])
        expect(await storage.findState(executionId('a'))).toEqual(state)
      })
      skip(!isShared, 'nobody else can open it')
    })

    test('M2: of simultaneous creations and appends, exactly one is accepted', async ({
      storage,
      opened,
      skip,
    }) => {
      const isShared = await withAnother(opened, async (another) => {
        const both = [storage, another]
        const created = await Promise.all(both.map((one) => one.create(createRequest('a'))))
        expect(created.filter(({ ok }) => ok)).toHaveLength(1)
        const appended = await Promise.all(
          both.map((one) => one.append(appendRequest(['a', 1], [joinSetEvent()]))),
        )
        expect(appended.filter(({ ok }) => ok)).toHaveLength(1)
      })
      skip(!isShared, 'nobody else can open it')
    })

    test('M3: two that poll never lock the same execution', async ({ storage, opened, skip }) => {
      const isShared = await withAnother(opened, async (another) => {
        const ids = Array.from({ length: 40 }, (_, index) => `e${index}`)
        await storage.createMany(ids.map((id) => createRequest(id)))
        const polls = [1, 2, 3, 4].flatMap((index) =>
          [storage, another].map((one, which) => {
            const owner = 10 * which + index
            const who = { executorId: executorId(owner), runId: runId(owner), limit: 5 }
            return lockAt(one, 9, who)
          }),
        )
        const locked = (await Promise.all(polls)).flat()
        expect(locked).toHaveLength(40)
        expect(new Set(locked).size).toBe(40)
      })
      skip(!isShared, 'nobody else can open it')
    })

    test('M4: no wake-up is lost between one that waits and one that answers', async ({
      storage,
      opened,
      skip,
    }) => {
      const isShared = await withAnother(opened, async (another) => {
        const ids = Array.from({ length: 20 }, (_, index) => `e${index}`)
        for (const id of ids) await createLocked(storage, id)
        await Promise.all(
          ids.flatMap((id) => [
            accepted(storage.append(appendRequest([id, 2], [blockingAskEvent('m:go')]))),
            accepted(another.respond(responseCommand(id, message('go')))),
          ]),
        )
        for (const id of ids) expect((await stateOf(another, id)).status).toBe('pending_at')
      })
      skip(!isShared, 'nobody else can open it')
    })

    test('M5: children that end here and there each tell their parent once', async ({
      storage,
      opened,
      skip,
    }) => {
      const isShared = await withAnother(opened, async (another) => {
        await createLocked(storage, 'p')
        const children = [1, 2, 3, 4].map((index) => childOf('p', 'n:boxes', index))
        await storage.createMany(children.map((id) => activityRequest(id)))
        const answers = await Promise.all(
          children.flatMap((id) =>
            [storage, another].map((one) => one.append(appendRequest([id, 1], [finishedEvent()]))),
          ),
        )
        expect(answers.filter(({ ok }) => ok)).toHaveLength(4)
      })
      skip(!isShared, 'nobody else can open it')
    })
  })
}
