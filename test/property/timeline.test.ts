/** Whatever stands in a log, in whatever order and at whatever time, there is a picture of it. */

import * as fc from 'fast-check'
import { type ExecutionTree, formatTimeline } from 'stele'
import { describe, expect, it } from 'vitest'
import { widthOf } from '../../src/client/timeline-canvas.ts'
import { treeOf } from '../support/execution-trees.ts'
import { createdEvent, finishedEvent, sampleEvents } from '../support/storage/events.ts'
import { childResponse, delayResponse, message } from '../support/storage/requests.ts'

const seed = 20_261_130
const numRuns = 300

const instants = fc.oneof(fc.nat(100), fc.integer({ min: 0, max: 4_102_444_800_000 }))
const reasons = fc.string({ unit: 'grapheme', maxLength: 60 })
const failures = reasons.map((reason) =>
  finishedEvent({ type: 'execution_failure', kind: 'uncategorized', reason }),
)
const events = fc.oneof(fc.constantFrom(...sampleEvents), failures)
const responses = fc.constantFrom(childResponse('p'), delayResponse('p'), message('approve'))
const ids = fc.stringMatching(/^[a-z0-9-]{1,128}$/)

const executions = fc
  .record({
    id: ids,
    createdAt: instants,
    events: fc.array(fc.tuple(instants, events), { maxLength: 20 }),
    responses: fc.array(fc.tuple(instants, responses), { maxLength: 5 }),
    hasLog: fc.boolean(),
  })
  .map(({ id, createdAt, hasLog, ...log }): ExecutionTree => {
    const whole = [[createdAt, createdEvent()], ...log.events] as const
    return treeOf(id, hasLog ? { events: whole, responses: log.responses } : {})
  })

const trees = fc
  .tuple(executions, fc.array(executions, { maxLength: 6 }), fc.boolean())
  .map(([tree, children, isCut]): ExecutionTree => {
    return { ...tree, children, ...(isCut ? { hidden: true } : {}) }
  })

const options = fc.record({
  columns: fc.integer({ min: 60, max: 200 }),
  children: fc.nat(4),
  now: instants,
  moments: fc.array(fc.record({ at: instants, label: reasons }), { maxLength: 2 }),
})

describe(`timeline (seed ${seed})`, () => {
  it('every line fits, and none of them is a command to the terminal', () => {
    fc.assert(
      fc.property(fc.array(trees, { maxLength: 3 }), options, (forest, how) => {
        for (const line of formatTimeline(forest, how).split('\n')) {
          expect(widthOf(line)).toBeLessThanOrEqual(how.columns)
          expect(line).not.toMatch(/\p{Cc}/u)
        }
      }),
      { seed, numRuns },
    )
  })

  it('there is one line for each execution that is shown', () => {
    fc.assert(
      fc.property(trees, options, (tree, { moments: _none, ...how }) => {
        const lines = formatTimeline(tree, how).split('\n')
        const shown = Math.min(tree.children.length, how.children)
        const rest = tree.children.length > shown || tree.hidden === true ? 1 : 0
        expect(lines.indexOf('')).toBe(2 + shown + rest)
      }),
      { seed, numRuns },
    )
  })
})
