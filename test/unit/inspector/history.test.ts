/** Logs as frames. */

import { describe, expect, it } from 'vitest'
import type { ExecutionTree } from '../../../src/client/tree.ts'
import { framesOf, stepsOf } from '../../../src/inspector/history.ts'
import { treeOf } from '../../support/execution-trees.ts'
import { createdEvent, finishedEvent, lockedEvent } from '../../support/storage/events.ts'
import { childResponse } from '../../support/storage/requests.ts'
import { brief } from './frames.ts'

const childId = 'order-1.n:boxes_1'
const child = treeOf(childId, {
  events: [
    [2, createdEvent()],
    [3, lockedEvent()],
    [5, finishedEvent()],
  ],
})
const tree = treeOf('order-1', {
  events: [
    [0, createdEvent()],
    [1, lockedEvent()],
  ],
  responses: [[5, childResponse('order-1')]],
  children: [child],
})

describe('frames of a history', () => {
  it('tell what happened to all, in the order in which it happened', () => {
    expect(stepsOf(tree).map(({ executionId, event }) => `${executionId} ${event.type}`)).toEqual([
      'order-1 created',
      'order-1 locked',
      `${childId} created`,
      `${childId} locked`,
      `${childId} finished`,
      'order-1 responded',
    ])
  })

  it('begin each execution with its machine, and its parent', () => {
    const [first] = framesOf(tree)
    expect(first).toMatchObject({
      type: '@xstate.actor',
      name: 'order-1',
      sessionId: 'order-1',
      rootId: 'order-1',
      createdAt: '0',
      definition: expect.stringContaining('"id":"execution"'),
      snapshot: { status: 'active', value: { open: 'pending_at' } },
      stele: { version: 0 },
    })
    expect(first).not.toHaveProperty('parentId')
    const born = framesOf(tree).find((frame) => frame.sessionId === childId)
    expect(born).toMatchObject({ parentId: 'order-1', rootId: 'order-1' })
  })

  it('show the state after each event', () => {
    const shown = framesOf(child).filter(({ type }) => type === '@xstate.snapshot')
    expect(shown.map(brief)).toEqual([
      `${childId} {"open":"pending_at"}`,
      `${childId} {"open":"locked"}`,
      `${childId} finished (done)`,
    ])
  })

  it('say who told whom', () => {
    const sources = framesOf(tree).flatMap((frame) =>
      'sourceId' in frame ? [[frame.sessionId, frame.sourceId]] : [],
    )
    expect(sources).toEqual([
      [childId, 'order-1'],
      ['order-1', childId],
    ])
  })

  it('redact what may not be seen', () => {
    const redact = (value: unknown, { kind }: { readonly kind: string }): unknown =>
      kind === 'event' ? 'hidden' : value
    const frames = framesOf(tree, { redact })
    expect(frames[1]).toMatchObject({ event: { type: 'created', event: 'hidden' } })
    expect(JSON.stringify(frames)).not.toContain('"function":{"kind":"activity"}')
  })

  it('a clock that went back does not change the order of a log', () => {
    const odd = treeOf('order-1', {
      events: [
        [9, createdEvent()],
        [3, lockedEvent()],
        [5, finishedEvent()],
      ],
    })
    expect(stepsOf(odd).map(({ event, createdAt }) => [event.type, createdAt])).toEqual([
      ['created', 9],
      ['locked', 3],
      ['finished', 5],
    ])
  })

  it('children that are not there are announced, those without a log are left out', () => {
    const cut: ExecutionTree = { ...tree, hidden: true, children: [{ ...treeOf(childId) }] }
    expect(framesOf(cut)[0]?.stele).toEqual({ version: 0, hidden: true })
    expect(framesOf(cut).some(({ sessionId }) => sessionId === childId)).toBe(false)
  })

  it('a tree without logs is refused', () => {
    expect(() => stepsOf(treeOf('order-1'))).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option: 'tree' } }),
    )
  })

  it('a log that cannot be is refused', () => {
    const odd = treeOf('order-1', { events: [[0, lockedEvent()]] })
    expect(() => stepsOf(odd)).toThrow(
      expect.objectContaining({
        code: 'storage_corrupt',
        fields: { executionId: 'order-1', version: 0 },
      }),
    )
  })
})
