/** The first lines about an execution. */
import { expect, test } from 'vitest'
import { headOf, showValue } from '../../../src/cli/show-head.ts'
import { createPaint } from '../../../src/client/timeline-canvas.ts'
import type { ExecutionTree } from '../../../src/client/tree.ts'
import type { EventView } from '../../../src/client/view.ts'

const paint = createPaint(false)
const explanation = {
  summary: 'It waits.',
  waitingFor: 'a response',
  since: 0,
  problems: [],
} as const
const options = { explanation, now: 5_000, paint, width: 80 }

function treeOf(execution: object, events: readonly object[]): ExecutionTree {
  return {
    execution: {
      id: 'a.o:1-f_1',
      kind: 'activity',
      functionName: 'f',
      functionVersion: '2',
      status: 'blocked',
      paused: false,
      cancelling: false,
      version: 0,
      attempt: 1,
      createdAt: 1_000,
      ...execution,
    },
    children: [],
    log: { id: 'a', events: events as readonly EventView[], responses: [] },
  }
}

test('an open one: what it waits for, and what looks wrong', () => {
  const problems = ['One.', 'Two.']
  const tree = treeOf({ parentId: 'a' }, [
    { type: 'created', input: 5, metadata: { shop: 'x', user: 'y' }, scheduledBy: 'b' },
  ])
  expect(headOf(tree, { ...options, explanation: { ...explanation, problems } })).toEqual([
    'a.o:1-f_1  blocked  It waits.',
    'function      f, activity, version 2',
    'parent        a',
    'scheduled by  b',
    'metadata      shop=x user=y',
    'created       1970-01-01T00:00:01.000Z, 4.0 s ago',
    'waiting for   a response, since 4.0 s ago',
    'problem       One.',
    '              Two.',
    'input         5',
  ])
})

test('a failure: why, and the stack', () => {
  const outcome = {
    type: 'execution_failure',
    kind: 'uncategorized',
    reason: 'activity trap: no',
    detail: 'Error: no\n  at f',
  }
  const tree = treeOf({ status: 'finished', finishedAt: 3_000, attempt: 6 }, [
    { type: 'created' },
    { type: 'finished', outcome },
  ])
  expect(headOf(tree, options)).toEqual([
    'a.o:1-f_1  finished, uncategorized: activity trap: no',
    'function      f, activity, version 2',
    'created       1970-01-01T00:00:01.000Z, 4.0 s ago, took 2.0 s, attempt 6',
    'detail        Error: no',
    '                at f',
  ])
})

test('a value that is too long for a line takes several', () => {
  const value = { list: Array.from({ length: 20 }, (_, index) => `item ${index}`) }
  expect(showValue(value, { paint, width: 60 }).split('\n').length).toBeGreaterThan(1)
})
