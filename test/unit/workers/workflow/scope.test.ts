import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/base/logger.ts'
import { createScope } from '../../../../src/workers/workflow/scope.ts'
import { begun, testFrame } from './test-frame.ts'

/** A logger that keeps its warnings. */
function warnings() {
  const lines: unknown[] = []
  const warn = (fields: object, message: string): void => {
    lines.push([fields, message])
  }
  return { lines, logger: { ...silentLogger, warn } as never }
}

describe('createScope', () => {
  it('now: the time of the workflow', async () => {
    const world = await begun(({ messages }) => messages.go.next())
    const scope = createScope(world.frame, silentLogger)
    expect(scope.now()).toBe(1_000)
    world.at(5_000).send('go')
    await world.advance()
    expect(scope.now()).toBe(5_000)
  })

  it('random: the same sequence for each run, not that of `random()`', async () => {
    const { frame } = testFrame(() => 1)
    const draws = [0, 1].map(() => {
      const { random } = createScope(frame, silentLogger)
      return [random(), random()]
    })
    expect(draws[0]).toEqual(draws[1])
    expect(draws[0]?.[0]).not.toBe(draws[0]?.[1])
    const world = await begun(({ random }) => random())
    expect(world.end()).not.toMatchObject({ value: draws[0]?.[0] })
  })

  it('warn: tells the logger which function and execution', () => {
    const { lines, logger } = warnings()
    const scope = createScope(testFrame(() => 1).frame, logger)
    scope.warn('Date is guarded')
    expect(scope.functionName).toBe('main')
    expect(lines).toEqual([[{ executionId: 'e', functionName: 'main' }, 'Date is guarded']])
  })

  it('warn: a logger that throws is nobody’s problem', () => {
    const warn = (): never => {
      throw new Error('broken pipe')
    }
    const scope = createScope(testFrame(() => 1).frame, { ...silentLogger, warn } as never)
    expect(() => scope.warn('hello')).not.toThrow()
  })

  it('rejection: is kept in the frame and told, until somebody handles it', () => {
    const { lines, logger } = warnings()
    const { frame } = testFrame(() => 1)
    const scope = createScope(frame, logger)
    const promise = Promise.resolve(1)
    const reason = new Error('unheard')
    scope.onUnhandledRejection(reason, promise)
    expect(frame.firstUnheard()).toEqual({ error: reason })
    expect(lines).toEqual([
      [
        { executionId: 'e', functionName: 'main', err: reason },
        expect.stringMatching(/nobody awaits it.*Await it, or catch it\.$/s),
      ],
    ])
    scope.onRejectionHandled(promise)
    expect(frame.firstUnheard()).toBeUndefined()
  })
})
