import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type GuardScope, workflowGuard } from '../../../../src/workers/workflow/guard.ts'

const { current, install, leave, run } = workflowGuard
const instant = 1_000_000_000_000

function scopeOf(functionName: string): GuardScope {
  return {
    functionName,
    now: () => instant,
    random: () => 0.25,
    warn: () => undefined,
    onUnhandledRejection: () => undefined,
    onRejectionHandled: () => undefined,
  }
}

const scope = scopeOf('order')
const originals = { Date, setTimeout }
const held: (() => void)[] = []

function hold(globals: boolean): () => void {
  const release = install({ globals })
  held.push(release)
  return release
}

afterEach(() => {
  for (const release of held.splice(0)) release()
  expect(Date).toBe(originals.Date)
  expect(setTimeout).toBe(originals.setTimeout)
})

describe('whereabouts', () => {
  it('guard: code outside belongs to no workflow', () => {
    expect(current()).toBeUndefined()
    expect(leave(current)).toBeUndefined()
  })

  it('guard: the scope is that of the innermost run, and ends with it', () => {
    const other = scopeOf('refund')
    const seen = run(scope, () => [current(), run(other, current), current()])
    expect(seen).toEqual([scope, other, scope])
    expect(current()).toBeUndefined()
  })

  it('guard: what workflow code awaits, and leaves behind, belongs to it', async () => {
    const seen: unknown[] = []
    await run(scope, async () => {
      process.nextTick(() => seen.push(current()))
      queueMicrotask(() => seen.push(current()))
      await sleep(1)
      seen.push(current())
    })
    expect(seen).toEqual([scope, scope, scope])
    expect(current()).toBeUndefined()
  })

  it('guard: a local step is outside, also after it has waited', async () => {
    const step = async (): Promise<unknown[]> => {
      const before = current()
      await sleep(1)
      return [before, current()]
    }
    const seen = await run(scope, async () => [...(await leave(step)), current()])
    expect(seen).toEqual([undefined, undefined, scope])
  })

  it('guard: an error passes through and leaves no scope behind', () => {
    const fail = (): never => {
      throw new RangeError('no')
    }
    expect(() => run(scope, fail)).toThrow(RangeError)
    expect(() => run(scope, () => leave(fail))).toThrow(RangeError)
    expect(current()).toBeUndefined()
  })
})

describe('installing', () => {
  it('guard: globals answer the workflow from the first install to the last uninstall', () => {
    const first = hold(true)
    const second = hold(true)
    first()
    first()
    expect(run(scope, Date.now)).toBe(instant)
    second()
    expect(Date).toBe(originals.Date)
    expect(run(scope, () => Date.now())).not.toBe(instant)
  })

  it('guard: without globals only the listeners are installed', () => {
    const before = process.listenerCount('unhandledRejection')
    const release = hold(false)
    expect(Date).toBe(originals.Date)
    expect(process.listenerCount('unhandledRejection')).toBe(before + 1)
    release()
    expect(process.listenerCount('unhandledRejection')).toBe(before)
  })

  it('guard: an install with globals and one without are counted apart', () => {
    const listening = hold(false)
    const guarding = hold(true)
    listening()
    expect(run(scope, Date.now)).toBe(instant)
    guarding()
    expect(Date).toBe(originals.Date)
  })

  it('guard: a run outlives the last uninstall', async () => {
    const release = hold(true)
    const seen = run(scope, async () => {
      await sleep(1)
      return [Date.now() === instant, typeof setTimeout]
    })
    release()
    expect(await seen).toEqual([false, 'function'])
  })
})
