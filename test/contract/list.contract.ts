/** Rules of the list of executions: newest first, page by page, filtered. */

import { describe, expect } from 'vitest'
import type { ListCursor, ListFilter } from '../../src/storage/list.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { corruptState, repairState } from '../support/storage/corrupt.ts'
import { finishedEvent } from '../support/storage/events.ts'
import { childOf, executionId } from '../support/storage/ids.ts'
import { activityRequest, createRequest } from '../support/storage/requests.ts'
import { accepted, present } from '../support/storage/results.ts'
import { append, createActivity, createWorkflow, lockAt } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

async function ids(
  storage: Storage,
  filter: ListFilter = {},
  page: { readonly limit?: number; readonly after?: ListCursor } = {},
): Promise<readonly string[]> {
  const { items } = await storage.listExecutions({ filter, limit: 100, ...page })
  return items.map(({ state }) => state.executionId)
}

/** Declares the rules for one adapter. */
export function describeListing(test: ContractTest): void {
  describe('listing: pages', () => {
    test('G1: nothing is there', async ({ storage }) => {
      expect(await ids(storage)).toEqual([])
    })

    test('G2: the newest comes first; ids decide among equals, downwards', async ({ storage }) => {
      for (const [id, createdAt] of [
        ['b', 2],
        ['a', 2],
        ['old', 1],
        ['new', 3],
      ] as const) {
        await createWorkflow(storage, id, { createdAt })
      }
      expect(await ids(storage)).toEqual(['new', 'b', 'a', 'old'])
    })

    test('G3: pages neither lose nor repeat what was created at one instant', async ({
      storage,
    }) => {
      const all = Array.from({ length: 25 }, (_, index) => `e${String(index).padStart(2, '0')}`)
      await storage.createMany(all.map((id) => createRequest(id, { createdAt: 7 })))
      const seen: string[] = []
      let after: ListCursor | undefined
      while (seen.length <= all.length) {
        const page = await ids(storage, {}, { limit: 4, ...(after === undefined ? {} : { after }) })
        seen.push(...page)
        const last = page.at(-1)
        if (last === undefined) break
        after = { createdAt: 7, executionId: last }
      }
      expect(seen).toEqual([...all].reverse())
    })

    test('G4: a cursor need not be an execution that exists', async ({ storage }) => {
      for (const id of ['a', 'c']) await createWorkflow(storage, id, { createdAt: 5 })
      expect(await ids(storage, {}, { after: { createdAt: 5, executionId: 'b' } })).toEqual(['a'])
      expect(await ids(storage, {}, { after: { createdAt: 6, executionId: '' } })).toEqual([
        'c',
        'a',
      ])
    })

    test('G5: a limit of none gives none', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      expect(await ids(storage, {}, { limit: 0 })).toEqual([])
    })

    test('G6: rows that cannot be read are left out', async ({ storage, opened }) => {
      for (const id of ['a', 'bad', 'c']) await createWorkflow(storage, id)
      await corruptState(opened, 'bad')
      expect(await ids(storage)).toEqual(['c', 'a'])
      await repairState(opened, 'bad')
      expect(await ids(storage)).toEqual(['c', 'bad', 'a'])
    })

    test('G15: a page that lost a row still says where the next one begins', async ({
      storage,
      opened,
    }) => {
      for (const id of ['a', 'b', 'bad']) await createWorkflow(storage, id)
      await corruptState(opened, 'bad')
      const first = await storage.listExecutions({ filter: {}, limit: 1 })
      expect(first).toEqual({ items: [], next: { createdAt: 0, executionId: 'bad' } })
      expect(
        await ids(storage, {}, { limit: 1, after: present(first.next, 'a next page') }),
      ).toEqual(['b'])
      const last = await storage.listExecutions({ filter: {}, limit: 3 })
      expect(last).not.toHaveProperty('next')
      await repairState(opened, 'bad')
    })

    test('G7: what was set aside says why', async ({ storage }) => {
      for (const id of ['a', 'b']) await createWorkflow(storage, id)
      await storage.setAside([{ executionId: 'b', reason: 'unreadable' }])
      const { items } = await storage.listExecutions({ filter: {}, limit: 9 })
      expect(items.map(({ setAside }) => setAside)).toEqual(['unreadable', undefined])
      expect(items[1]).not.toHaveProperty('setAside')
    })
  })

  describe('listing: filters', () => {
    test('G8: children are listed when asked for', async ({ storage }) => {
      await createWorkflow(storage, 'p')
      await createActivity(storage, childOf('p'), { createdAt: 1 })
      expect(await ids(storage)).toEqual(['p'])
      expect(await ids(storage, { children: false })).toEqual(['p'])
      expect(await ids(storage, { children: true })).toEqual([childOf('p'), 'p'])
    })

    test('G9: by kind and name of the function', async ({ storage }) => {
      await createWorkflow(storage, 'w')
      await createActivity(storage, 'a')
      expect(await ids(storage, { functionKind: 'activity' })).toEqual(['a'])
      expect(await ids(storage, { functionName: 'checkout' })).toEqual(['w'])
      expect(await ids(storage, { functionKind: 'activity', functionName: 'checkout' })).toEqual([])
      expect(await ids(storage, { functionName: 'check' })).toEqual([])
    })

    test('G10: by status, by pause and by outcome', async ({ storage }) => {
      const outcomes = ['ok', 'err', 'execution_failure'] as const
      for (const type of outcomes) {
        await createWorkflow(storage, type)
        const kind = { kind: 'timed_out' as const }
        const outcome = type === 'execution_failure' ? { type, ...kind } : { type, value: 1 }
        await append(storage, [type, 1], [finishedEvent(outcome)])
      }
      await createWorkflow(storage, 'locked')
      await lockAt(storage, 5)
      await createWorkflow(storage, 'pending')
      await createWorkflow(storage, 'paused', { paused: true })
      expect(await ids(storage, { status: 'locked' })).toEqual(['locked'])
      expect(await ids(storage, { status: 'blocked' })).toEqual([])
      expect(await ids(storage, { status: 'pending_at' })).toEqual(['pending', 'paused'])
      expect(await ids(storage, { status: 'pending_at', paused: false })).toEqual(['pending'])
      expect(await ids(storage, { paused: true })).toEqual(['paused'])
      for (const outcome of outcomes) expect(await ids(storage, { outcome })).toEqual([outcome])
    })

    test('G11: by the beginning of the id, taken literally', async ({ storage }) => {
      for (const id of ['ab', 'a_', 'aB', 'b']) await createWorkflow(storage, id)
      expect(await ids(storage, { idPrefix: 'a_' })).toEqual(['a_'])
      expect(await ids(storage, { idPrefix: 'a' })).toEqual(['ab', 'a_', 'aB'])
      expect(await ids(storage, { idPrefix: '%' })).toEqual([])
      expect(await ids(storage, { idPrefix: '' })).toHaveLength(4)
    })

    test('G12: by creation: from an instant on, and before one', async ({ storage }) => {
      for (const createdAt of [1, 2, 3])
        await createWorkflow(storage, `e${createdAt}`, { createdAt })
      expect(await ids(storage, { createdFrom: 2 })).toEqual(['e3', 'e2'])
      expect(await ids(storage, { createdBefore: 2 })).toEqual(['e1'])
      expect(await ids(storage, { createdFrom: 2, createdBefore: 3 })).toEqual(['e2'])
      expect(await ids(storage, { createdFrom: 4 })).toEqual([])
    })

    test('G13: a filter holds on every page, wherever its cursor points', async ({ storage }) => {
      for (const createdAt of [1, 2, 3])
        await createWorkflow(storage, `e${createdAt}`, { createdAt })
      const after = { createdAt: 9, executionId: 'z' }
      expect(await ids(storage, { createdBefore: 3 }, { after })).toEqual(['e2', 'e1'])
      const within = { createdAt: 2, executionId: 'e2' }
      expect(await ids(storage, { createdBefore: 3 }, { after: within })).toEqual(['e1'])
    })

    test('G14: states in the list are those of the executions', async ({ storage }) => {
      await accepted(storage.create(activityRequest('a', { paused: true })))
      const { items } = await storage.listExecutions({ filter: {}, limit: 1 })
      expect(items[0]).toEqual({ state: await storage.findState(executionId('a')) })
    })
  })

  describe('listing: children', () => {
    async function children(
      storage: Storage,
      { parent = 'p', limit = 100, after = '' } = {},
    ): Promise<readonly string[]> {
      const page = after === '' ? {} : { after: executionId(after) }
      const items = await storage.listChildren({ parentId: executionId(parent), limit, ...page })
      return items.map(({ state }) => state.executionId)
    }

    test('G15: those of one parent, by id, whatever has become of them', async ({ storage }) => {
      for (const id of ['p', 'pp', 'detached']) await createWorkflow(storage, id)
      const [one, two] = [childOf('p', 'n:a', 1), childOf('p', 'n:b', 1)]
      for (const id of [two, one, childOf('pp'), childOf(one)]) await createActivity(storage, id)
      await append(storage, [two, 1], [finishedEvent()])
      expect(await children(storage)).toEqual([one, two])
      expect(await children(storage, { parent: one })).toEqual([childOf(one)])
      expect(await children(storage, { parent: 'detached' })).toEqual([])
      expect(await children(storage, { parent: 'none' })).toEqual([])
    })

    test('G16: pages neither lose nor repeat', async ({ storage }) => {
      await createWorkflow(storage, 'p')
      const all = Array.from({ length: 12 }, (_, index) => childOf('p', 'n:boxes', index + 1))
      await storage.createMany(all.map((id) => activityRequest(id)))
      const seen: string[] = []
      while (seen.length <= all.length) {
        const page = await children(storage, { limit: 5, after: seen.at(-1) ?? '' })
        seen.push(...page)
        if (page.length === 0) break
      }
      expect(seen).toEqual(all.toSorted())
    })

    test('G17: they are shown as in the list of all; unreadable ones are left out', async ({
      storage,
      opened,
    }) => {
      await createWorkflow(storage, 'p')
      const [one, two] = [childOf('p', 'n:boxes', 1), childOf('p', 'n:boxes', 2)]
      for (const id of [one, two]) await createActivity(storage, id)
      await storage.setAside([{ executionId: one, reason: 'why' }])
      await corruptState(opened, two)
      const shown = { state: await storage.findState(one), setAside: 'why' }
      const page = { parentId: executionId('p'), limit: 9 }
      expect(await storage.listChildren(page)).toEqual([shown])
      await repairState(opened, two)
    })
  })

  describe('listing: searches that end', () => {
    async function search(
      storage: Storage,
      filter: ListFilter,
      after?: ListCursor,
    ): Promise<{ readonly ids: readonly string[]; readonly next: ListCursor | undefined }> {
      const request = { filter, limit: 10, searchMax: 3, ...(after === undefined ? {} : { after }) }
      const { items, next } = await storage.listExecutions(request)
      return { ids: items.map(({ state }) => state.executionId), next }
    }

    test('G18: a page ends after so many rows, and the next goes on from there', async ({
      storage,
    }) => {
      for (let at = 0; at < 10; at += 1) await createWorkflow(storage, `e${at}`, { createdAt: at })
      const filter = { idPrefix: 'e1' }
      const seen: (readonly string[])[] = []
      let after: ListCursor | undefined
      do {
        const page = await search(storage, filter, after)
        seen.push(page.ids)
        after = page.next
      } while (after !== undefined && seen.length < 10)
      expect(seen).toEqual([[], [], ['e1']])
    })

    test('G19: what was created at one instant is not parted', async ({ storage }) => {
      const all = Array.from({ length: 8 }, (_, index) => `e${index}`)
      await storage.createMany(all.map((id) => createRequest(id, { createdAt: 7 })))
      expect((await search(storage, {})).ids).toEqual(all.toReversed())
    })

    test('G20: a search that reaches the oldest says that it is the last', async ({ storage }) => {
      for (const at of [1, 2, 3]) await createWorkflow(storage, `e${at}`, { createdAt: at })
      const page = await storage.listExecutions({ filter: {}, limit: 10, searchMax: 3 })
      expect(page.next).toBeUndefined()
      expect(page.searchedTo).toBeUndefined()
    })

    test('G21: it ends as well where the filter begins', async ({ storage }) => {
      for (let at = 0; at < 10; at += 1) await createWorkflow(storage, `e${at}`, { createdAt: at })
      expect(await search(storage, { createdFrom: 8 })).toEqual({
        ids: ['e9', 'e8'],
        next: undefined,
      })
    })
  })

  describe('listing: what is held', () => {
    test('G22: the lock that ends first comes first; others are not there', async ({ storage }) => {
      for (const id of ['a', 'b', 'free']) await createActivity(storage, id, { scheduledAt: 1 })
      const held = await lockAt(storage, 5, { limit: 2 })
      const states = await storage.listLocked(10)
      expect(states.map(({ executionId: id }) => id).toSorted()).toEqual(held.toSorted())
      expect((await storage.listLocked(1)).length).toBe(1)
    })
  })
}
