import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { createLookout, resultPollInterval } from '../../../src/client/lookout.ts'
import { waitFinished } from '../../../src/client/wait-finished.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import { createNotifications } from '../../../src/storage/notifications.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { executionId } from '../../support/storage/ids.ts'
import { rejectionOf } from '../../support/storage/results.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'
import { openTestEngine } from './test-engine.ts'

/** A wait over a storage that the test plays, and that sends no notices. */
function silentStorage(find: () => ExecutionState | undefined) {
  const clock = createTestClock()
  const scheduler = createTestScheduler(clock)
  let looks = 0
  const findState = (): Promise<ExecutionState | undefined> => {
    looks += 1
    return Promise.resolve().then(find)
  }
  const notifications = createNotifications({ scheduler, hasForeignChanges: () => false })
  const findStates = async (): Promise<readonly ExecutionState[]> => {
    const state = await findState()
    return state === undefined ? [] : [state]
  }
  const storage: Pick<Storage, 'findState' | 'findStates' | 'notifications'> = {
    findState,
    findStates,
    notifications,
  }
  const lookout = createLookout({ storage, scheduler })
  const environment = { storage, scheduler, lookout, onStop: () => () => undefined }
  return { environment, scheduler, notifications, looks: () => looks }
}

const request = { executionId: executionId('a'), timeout: undefined }
const pending = { ...request, status: 'pending_at' } as unknown as ExecutionState
const finished = { ...request, status: 'finished', version: 2 } as unknown as ExecutionState

const slow = defineActivity({ name: 'slow' }, (_: undefined, { signal }) => {
  return new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'))
  })
})
const fast = defineActivity({ name: 'fast' }, (word: string) => word)

describe('without notices', () => {
  it('poll: looks once a second, and ends with the execution', async () => {
    let state = pending
    const { environment, scheduler, looks } = silentStorage(() => state)
    const waiting = waitFinished(environment, request)
    await scheduler.advance(2 * resultPollInterval)
    expect(looks()).toBe(3)
    state = finished
    await scheduler.advance(resultPollInterval)
    expect(await waiting).toBe(finished)
    await scheduler.advance(10 * resultPollInterval)
    expect(looks()).toBe(4)
  })

  it('fault: of the storage is the caller’s', async () => {
    const { environment } = silentStorage(() => {
      throw new Error('disk')
    })
    await expect(waitFinished(environment, request)).rejects.toThrow('disk')
  })

  it('timers: none is left when the wait is over', async () => {
    const { environment, scheduler, notifications } = silentStorage(() => pending)
    const refusal = rejectionOf(waitFinished(environment, { ...request, timeout: 50 }))
    await scheduler.advance(50)
    expect(await refusal).toMatchObject({ code: 'result_timeout' })
    notifications.close()
    expect(scheduler.dueTimes()).toEqual([])
  })
})

describe('with an engine', () => {
  it('timeout 0: gives what has finished already, and refuses at once otherwise', async () => {
    await using world = await openTestEngine({ functions: [slow, fast] })
    const done = await world.engine.submit(fast, 'done')
    const running = await world.engine.submit(slow)
    await world.settle()
    expect(await done.result({ timeout: 0 })).toBe('done')
    const refusal = rejectionOf(running.result({ timeout: 0 }))
    await world.advance(0)
    expect(await refusal).toMatchObject({
      code: 'result_timeout',
      fields: { executionId: running.id, timeout: 0 },
    })
    expect((await running.state()).status).toBe('locked')
  })

  it('timeout: counts from the call; the execution goes on', async () => {
    await using world = await openTestEngine({ functions: [slow] })
    const handle = await world.engine.submit(slow)
    let error: unknown
    const waiting = handle.result({ timeout: '2s' }).catch((cause: unknown) => {
      error = cause
    })
    await world.advance(1_999)
    expect(error).toBeUndefined()
    await world.advance(1)
    await waiting
    expect(error).toMatchObject({ code: 'result_timeout' })
    expect((await handle.state()).status).toBe('locked')
  })

  it('stop: rejects what still waits with `engine_stopped`', async () => {
    const idle = defineActivity({ name: 'idle' })
    await using world = await openTestEngine({ functions: [idle.stub()] })
    const handle = await world.engine.submit(idle)
    const refusal = rejectionOf(handle.result())
    await world.stop()
    expect(await refusal).toMatchObject({
      code: 'engine_stopped',
      fields: { executionId: handle.id },
    })
  })

  it('many: waiters of one execution are all answered', async () => {
    await using world = await openTestEngine({ functions: [fast] })
    const handle = await world.engine.submit(fast, 'x')
    const waiting = [handle.result(), handle.result(), handle.outcome()]
    await world.settle()
    expect(await Promise.all(waiting)).toEqual(['x', 'x', { type: 'ok', value: 'x' }])
  })
})
