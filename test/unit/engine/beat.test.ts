/** An executor's sign of life: at once, each interval, and once at the end. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { beatInterval, createBeat } from '../../../src/engine/beat.ts'
import { executorId } from '../../support/storage/ids.ts'
import { activityFunction } from './builders.ts'
import { loud, openSurroundings } from './surroundings.ts'

async function open() {
  const surroundings = await openSurroundings({ start: 1000 })
  const beat = createBeat({
    context: surroundings.context,
    executorId: executorId(),
    kind: 'activities',
    functions: [activityFunction()],
    host: { hostname: 'here', pid: 7 },
  })
  const rows = async () => {
    await surroundings.scheduler.settle()
    return surroundings.store.listExecutors(10)
  }
  return { ...surroundings, beat, rows }
}

describe('beat', () => {
  it('start: says at once who lives, where and for what', async () => {
    const { beat, rows, context } = await open()
    beat.start()
    expect(await rows()).toEqual([
      {
        executorId: executorId(),
        deploymentId: context.deploymentId,
        kind: 'activities',
        functions: ['charge'],
        host: 'here',
        pid: 7,
        startedAt: 1000,
        lastBeatAt: 1000,
      },
    ])
  })

  it('beats: each interval, with the time of its start', async () => {
    const { beat, rows, scheduler } = await open()
    beat.start()
    await scheduler.advance(3 * beatInterval - 1)
    expect(await rows()).toMatchObject([{ startedAt: 1000, lastBeatAt: 1000 + 2 * beatInterval }])
  })

  it('stop: records the end once, and beats no more', async () => {
    const { beat, rows, scheduler, clock, counts, done } = await open()
    beat.start()
    clock.advance(10)
    await done(beat.stop())
    await done(beat.stop())
    await scheduler.advance(3 * beatInterval)
    expect(await rows()).toMatchObject([{ lastBeatAt: 1010, stoppedAt: 1010 }])
    expect(counts.get('beatExecutor')).toBe(2)
  })

  it('stop: of one that never began says nothing', async () => {
    const { beat, total, done } = await open()
    await done(beat.stop())
    expect(total()).toBe(0)
  })

  it('fault: is told once, and stop does not reject', async () => {
    const { beat, scheduler, fail, log, done } = await open()
    fail('beatExecutor', new SteleError('storage_unavailable', 'away'))
    beat.start()
    await scheduler.advance(5 * beatInterval)
    await done(beat.stop())
    expect(loud(log)).toEqual(['Recording that the executor lives failed: storage_unavailable'])
  })
})
