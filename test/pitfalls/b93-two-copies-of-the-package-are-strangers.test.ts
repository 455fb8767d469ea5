import type * as Stele from 'stele'
import {
  ActivityError,
  defineActivity,
  err,
  isExecutionError,
  isSteleError,
  PermanentError,
} from 'stele'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'

/** The package once more, as an application gets it that has two versions in its tree. */
let other: typeof Stele

beforeAll(async () => {
  vi.resetModules()
  other = await import('stele')
})

describe('B93: two copies of the package understand each other', () => {
  it('B93: they are two copies', () => {
    expect(other.SteleError).not.toBe(undefined)
    expect(other.ActivityError).not.toBe(ActivityError)
    expect(new other.ActivityError(1)).not.toBeInstanceOf(ActivityError)
  })

  it.each<[string, () => unknown, object]>([
    ['err', () => other.err('no', { permanent: true }), { type: 'err', value: 'no' }],
    [
      'ActivityError',
      () => {
        throw new other.ActivityError('no', { permanent: true })
      },
      { type: 'err', value: 'no' },
    ],
    [
      'PermanentError',
      () => {
        throw new other.PermanentError('never')
      },
      { type: 'execution_failure', reason: 'activity trap: never' },
    ],
  ])('B93: %s of the other copy ends an attempt as our own does', async (_, handler, expected) => {
    const work = defineActivity({ name: 'work' }, () => handler())
    await using world = await openTestEngine({ functions: [work] })
    const handle = await world.engine.submit(work)
    await world.settle()
    expect(await handle.outcome({ timeout: 0 })).toMatchObject(expected)
  })

  it('B93: an activity of the other copy is executed by this engine', async () => {
    const work = other.defineActivity({ name: 'work', retry: { maxRetries: 0 } }, (n: number) => {
      if (n > 1) throw new Error('too much')
      return n
    })
    await using world = await openTestEngine({ functions: [work] })
    const fine = await world.engine.submit(work, 1)
    const failed = await world.engine.submit(work, 2)
    await world.settle()
    expect(await fine.result({ timeout: 0 })).toBe(1)
    const error: unknown = await failed.result().catch((thrown: unknown) => thrown)
    expect(other.isSteleError(error, 'execution_failed')).toBe(true)
    expect(other.isExecutionError(error, work)).toBe(true)
  })

  it('B93: errors are recognised both ways', () => {
    const outcome = { type: 'err', value: 1 } as const
    const theirs = new other.ExecutionError({ executionId: 'x', functionName: 'f', outcome })
    expect(isSteleError(theirs)).toBe(true)
    expect(isExecutionError(theirs)).toBe(true)
    expect([err(1), new PermanentError('x')].some((value) => other.isSteleError(value))).toBe(false)
  })
})
