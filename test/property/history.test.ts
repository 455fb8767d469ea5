/** A history shows what the log says: after each step, the fold of the log up to there. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { executionMachine, machineValueOf } from '../../machines/execution.ts'
import { defaultCodec } from '../../src/base/codec.ts'
import { viewLog } from '../../src/client/view.ts'
import { activeStates, chartOf } from '../../src/inspector/chart.ts'
import { takenEdges } from '../../src/inspector/chart-path.ts'
import { type HistoryStep, stepsOf } from '../../src/inspector/history.ts'
import { plainOf } from '../../src/inspector/plain.ts'
import { type ExecutionHistory, foldHistory } from '../../src/model/fold.ts'
import { treeOf } from '../support/execution-trees.ts'
import { executionId } from '../unit/model/builders.ts'
import { birth, type Command, lives } from './commands.ts'
import { createMiniStore } from './mini-store.ts'

const seed = 20_261_201
const numRuns = 200

/** The history that a life leaves behind. */
function historyOf(life: readonly Command[]): ExecutionHistory {
  const store = createMiniStore(executionId, birth)
  let at = 10
  for (const command of life) {
    at += command.after
    command.play(store, at)
  }
  return store.history()
}

function stepsFrom(history: ExecutionHistory): readonly HistoryStep[] {
  const log = viewLog(defaultCodec, { id: executionId, ...history })
  return stepsOf({ ...treeOf(executionId), log })
}

describe(`history (seed ${seed})`, () => {
  it('the state after each step is the fold of the log up to there', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const history = historyOf(life)
        let responses = 0
        for (const { kind, version, after } of stepsFrom(history)) {
          if (kind === 'response') responses += 1
          const state = foldHistory({
            ...history,
            events: history.events.slice(0, version + 1),
            responses: history.responses.slice(0, responses),
          })
          expect(after.value).toEqual(machineValueOf(state))
          expect(after.context).toEqual(plainOf({ state }))
          expect(after.status).toBe(state.status === 'finished' ? 'done' : 'active')
        }
      }),
      { seed, numRuns },
    )
  })

  it('every event and every response is one step, and each begins where the last one ended', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const history = historyOf(life)
        const steps = stepsFrom(history)
        expect(steps).toHaveLength(history.events.length + history.responses.length)
        steps.slice(1).forEach(({ before }, index) => {
          expect(before).toEqual(steps[index]?.after)
        })
      }),
      { seed, numRuns },
    )
  })

  it('the machine has every state that is shown, and a transition for every change of it', () => {
    const chart = chartOf(executionMachine)
    const ids = new Set(chart.edges.flatMap(({ source, targets }) => [source, ...targets]))
    fc.assert(
      fc.property(lives, (life) => {
        for (const { before, event, after } of stepsFrom(historyOf(life))) {
          expect(activeStates(after.value).every((id) => ids.has(id))).toBe(true)
          if (before === undefined) continue
          const step = { before: before.value, event: event.type, after: after.value }
          const hasMoved = JSON.stringify(before.value) !== JSON.stringify(after.value)
          expect(takenEdges(chart, step).length > 0 || !hasMoved, JSON.stringify(step)).toBe(true)
        }
      }),
      { seed, numRuns },
    )
  })
})
