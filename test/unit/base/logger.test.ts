import { describe, expect, it } from 'vitest'
import { guard, guardLogger, type Logger, silentLogger } from '../../../src/base/logger.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const

function recorder(lines: unknown[]): Logger {
  const at = (level: string) => (fields: object, message: string) => {
    lines.push([level, fields, message])
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function broken(): never {
  throw new TypeError('disk full')
}

describe('logger', () => {
  it.each(levels)('guard: %s hands fields and sentence through', (level) => {
    const lines: unknown[] = []
    guardLogger(recorder(lines))[level]({ id: 1 }, 'said')
    expect(lines).toEqual([[level, { id: 1 }, 'said']])
  })

  it.each(levels)('guard: what %s throws is dropped', (level) => {
    const logger = guardLogger({ debug: broken, info: broken, warn: broken, error: broken })
    expect(() => {
      logger[level]({}, 'said')
    }).not.toThrow()
  })

  it('guard: the logger keeps its receiver', () => {
    const logger = {
      ...silentLogger,
      prefix: 'p',
      lines: [''],
      info(_: object, message: string) {
        this.lines.push(this.prefix + message)
      },
    }
    guardLogger(logger).info({}, 'said')
    expect(logger.lines).toEqual(['', 'psaid'])
  })

  it('guard: runs the callback once, and survives it', () => {
    let calls = 0
    guard(() => {
      calls += 1
      broken()
    })
    expect(calls).toBe(1)
  })

  it.each(levels)('silent: %s says nothing', (level) => {
    expect(silentLogger[level]({}, 'said')).toBeUndefined()
  })
})
