/** Whatever a worker does is a result. */

import { describe, expect, it } from 'vitest'
import { runWorker } from '../../../src/engine/run-worker.ts'
import type { Worker } from '../../../src/engine/worker.ts'
import { createConstantWorker, okResult, workflowFunction } from './builders.ts'
import { openHeld } from './held.ts'

async function openRun(kind: 'activity' | 'workflow') {
  const open = await openHeld(kind === 'activity' ? {} : { settings: workflowFunction() })
  void open.held.run()
  return open.worker.of('a').run
}

function throwing(thrown: unknown): Worker {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a worker may do it
  return { run: () => Promise.reject(thrown) }
}

describe('runWorker', () => {
  it('result: is the worker’s', async () => {
    expect(await runWorker(createConstantWorker(okResult), await openRun('activity'))).toBe(
      okResult,
    )
  })

  it.each([
    ['activity', 'activity_trap'],
    ['workflow', 'limit_reached'],
  ] as const)('fault: of the worker of an %s is %s, with its message', async (kind, type) => {
    const run = await openRun(kind)
    const bug = new TypeError('bug')
    expect(await runWorker(throwing(bug), run)).toEqual({ type, reason: 'bug' })
    expect(await runWorker(throwing('text'), run)).toEqual({ type, reason: 'the worker failed' })
  })

  it('fault: one that throws before it gives a promise is a result too', async () => {
    const worker: Worker = {
      run: () => {
        throw new TypeError('bug')
      },
    }
    const result = await runWorker(worker, await openRun('workflow'))
    expect(result).toEqual({ type: 'limit_reached', reason: 'bug' })
  })
})
