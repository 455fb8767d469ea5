/** Why a run is told to end, and what becomes of one that goes on. */

import { describe, expect, it } from 'vitest'
import { isSteleError, SteleError } from '../../../src/base/error.ts'
import {
  isFinal,
  isLost,
  isPassing,
  lockLost,
  reasonFor,
  reasonOf,
  resultWithout,
} from '../../../src/engine/abort.ts'
import type { AbortReason } from '../../../src/engine/worker.ts'
import { blocked, executionId, finished, locked, pending } from '../model/builders.ts'
import { createOpenWorker, deafWorker, lockExpiry, okResult } from './builders.ts'
import { openHeld } from './held.ts'

describe('abort', () => {
  const rows: readonly (readonly [AbortReason, string, boolean, boolean])[] = [
    ['timed_out', 'temporary_timeout', false, false],
    ['stopping', 'executor_closing', false, false],
    ['released', 'executor_closing', false, true],
    ['cancelled', 'already_written', true, true],
    ['superseded', 'already_written', true, true],
  ]

  it.each(rows)('%s: a run that goes on is %s; lost: %s, final: %s', (reason, type, lost, last) => {
    expect(resultWithout(reason)).toEqual({ type })
    expect([isLost(reason), isFinal(reason)]).toEqual([lost, last])
  })

  it('none: without a reason nothing is lost', () => {
    expect([isLost(undefined), isFinal(undefined)]).toEqual([false, false])
  })

  it.each([
    ['finished as cancelled', finished({ failureKind: 'cancelled' }), 'cancelled'],
    ['finished otherwise', finished({ failureKind: 'timed_out' }), 'superseded'],
    ['finished with a value', finished(), 'superseded'],
    ['pending, to be cancelled', pending({ cancelling: true }), 'cancelled'],
    ['blocked, to be cancelled', blocked({ cancelling: true }), 'cancelled'],
    ['locked by somebody else', locked(), 'superseded'],
  ] as const)('state: %s', (_, state, reason) => {
    expect(reasonFor(state)).toBe(reason)
  })

  it.each([
    [{ kind: 'illegal_state', reason: 'cancelling' }, 'cancelled'],
    [{ kind: 'illegal_state', reason: 'paused' }, 'superseded'],
    [{ kind: 'version_conflict', expected: 3, requested: 2 }, 'superseded'],
    [{ kind: 'already_finished', version: 3 }, 'superseded'],
  ] as const)('refusal: %j', (refusal, reason) => {
    expect(reasonOf(refusal)).toBe(reason)
  })

  it.each([
    [new SteleError('storage_unavailable', 'away'), true],
    [new SteleError('storage_full', 'full'), true],
    [new SteleError('storage_read_only', 'read-only'), true],
    [new SteleError('storage_corrupt', 'a row', { fields: { column: 'retry' } }), false],
    [new SteleError('storage_corrupt', 'the file', { fields: { file: 'a.db' } }), true],
    [new TypeError('bug'), false],
    [undefined, false],
  ])('fault: %s passes by itself: %s', (fault, passes) => {
    expect(isPassing(fault)).toBe(passes)
  })

  it('lock_lost: names the execution and says what to do', () => {
    expect(lockLost(executionId)).toMatchObject({
      code: 'lock_lost',
      message: expect.stringMatching(new RegExp(`${executionId} is lost.*Stop here`)),
      fields: { executionId },
    })
  })
})

const third = lockExpiry / 3

function codeOf(error: unknown): string {
  return isSteleError(error) ? error.code : String(error)
}

describe('held: after the end', () => {
  it('late: a heartbeat does not take the lock again', async () => {
    const worker = createOpenWorker(deafWorker)
    const { held, done, written, clock } = await openHeld({ worker })
    const run = held.run()
    held.abort('timed_out')
    await done(run)
    clock.set(third)
    const beat = worker.of('a').run.heartbeat()
    expect(await done(beat.catch(codeOf))).toBe('lock_lost')
    expect(await written()).toEqual([['temporarily_timed_out', 0]])
  })

  it('late: a renewal that waited for the result to be written is refused', async () => {
    const { held, worker, done, written, clock, hold, value, scheduler } = await openHeld()
    const run = held.run()
    const letGo = hold('append')
    worker.of('a').end({ type: 'activity_trap', reason: 'no' })
    await scheduler.settle()
    clock.set(third)
    held.attend(third)
    letGo()
    await done(run)
    expect([await written(), value()]).toEqual([[['temporarily_failed', 0]], 'retrying'])
  })
})

describe('held: workers that obey nobody', () => {
  it.each([
    ['timed_out', 'temporarily_timed_out', 'retrying'],
    ['released', 'unlocked', 'unlocked'],
  ] as const)('%s: the engine goes on without the run', async (reason, type, state) => {
    const { held, done, written, value, stragglers } = await openHeld({
      worker: createOpenWorker(deafWorker),
    })
    const run = held.run()
    held.abort(reason)
    await done(run)
    expect([await written(), value()]).toEqual([[[type, 0]], state])
    expect(stragglers).toHaveLength(1)
  })

  it('once: a late answer changes nothing, and a later reason makes no second straggler', async () => {
    const { held, worker, done, written, stragglers } = await openHeld({
      worker: createOpenWorker(deafWorker),
    })
    const run = held.run()
    held.abort('timed_out')
    await done(run)
    held.abort('released')
    worker.of('a').end(okResult)
    expect(await written()).toEqual([['temporarily_timed_out', 0]])
    expect(stragglers).toHaveLength(1)
  })

  it('stopping: leaves the run its moment', async () => {
    const { held, worker, done, written, scheduler, stragglers } = await openHeld({
      worker: createOpenWorker(deafWorker),
    })
    const run = held.run()
    held.abort('stopping')
    await scheduler.settle()
    worker.of('a').end(okResult)
    await done(run)
    expect(await written()).toEqual([['finished', 0]])
    expect(stragglers).toEqual([])
  })

  it('superseded: the engine goes on without the run', async () => {
    const { held, lock, done, written, value, stragglers } = await openHeld({
      worker: createOpenWorker(deafWorker),
    })
    const run = held.run()
    held.notice({ ...lock.state, version: 2 })
    await done(run)
    expect(await written()).toEqual([])
    expect(value()).toBe('superseded')
    expect(stragglers).toHaveLength(1)
  })
})
