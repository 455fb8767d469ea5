import { describe, expect, it } from 'vitest'
import {
  batchSizeMax,
  engineDefaults,
  resolveEngineOptions,
} from '../../../src/client/engine-options.ts'
import { defaultLimits } from '../../../src/client/limits.ts'

const resolve = (options: object) => resolveEngineOptions({ storage: ':memory:', ...options })

describe('resolveEngineOptions', () => {
  it('defaults: all in one table', () => {
    const { stopTimeout, ...defaults } = engineDefaults
    expect(resolve({})).toEqual({ ...defaults, sourceLines: false, limits: defaultLimits })
    expect(stopTimeout).toBe(30_000)
  })

  it('given: in milliseconds', () => {
    const executor = {
      concurrency: 1,
      batchSize: batchSizeMax,
      lockExpiry: '1m',
      tickSleep: 5,
      lockingStrategy: 'by_version',
    }
    const timersWatcher = { tickSleep: '1s', leeway: 0 }
    expect(resolve({ executor, timersWatcher, limits: { valueBytes: 1 } })).toMatchObject({
      concurrency: 1,
      batchSize: 500,
      lockExpiry: 60_000,
      tickSleep: 5,
      lockingStrategy: 'by_version',
      watcherTickSleep: 1_000,
      watcherLeeway: 0,
      limits: { valueBytes: 1 },
    })
  })

  it.each<[object, string]>([
    [{ storagee: 'x' }, 'createEngine.storagee'],
    [{ executor: { concurency: 1 } }, 'executor.concurency'],
    [{ executor: null }, 'executor'],
    [{ timersWatcher: { sleep: 1 } }, 'timersWatcher.sleep'],
    [{ limits: { bytes: 1 } }, 'limits.bytes'],
    [{ executor: { concurrency: 0 } }, 'executor.concurrency'],
    [{ executor: { concurrency: 10_001 } }, 'executor.concurrency'],
    [{ executor: { batchSize: 0 } }, 'executor.batchSize'],
    [{ executor: { batchSize: 501 } }, 'executor.batchSize'],
    [{ executor: { lockExpiry: 0 } }, 'executor.lockExpiry'],
    [{ executor: { tickSleep: 0 } }, 'executor.tickSleep'],
    [{ executor: { lockingStrategy: 'nearest' } }, 'executor.lockingStrategy'],
    [{ timersWatcher: { tickSleep: 0 } }, 'timersWatcher.tickSleep'],
    [{ limits: { valueBytes: 0 } }, 'limits.valueBytes'],
    [{ limits: { valueBytes: null } }, 'limits.valueBytes'],
    [{ executor: { concurrency: null } }, 'executor.concurrency'],
    [{ executor: { batchSize: null } }, 'executor.batchSize'],
    [{ executor: { lockingStrategy: null } }, 'executor.lockingStrategy'],
    [{ limits: [] }, 'limits'],
    [{ timersWatcher: [] }, 'timersWatcher'],
  ])('refused: %j, by its name', (options, option) => {
    expect(() => resolve(options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option } }),
    )
  })

  it.each([
    { executor: { lockExpiry: 'soon' } },
    { executor: { tickSleep: null } },
    { timersWatcher: { leeway: -1 } },
    { timersWatcher: { tickSleep: null } },
    { timersWatcher: { leeway: null } },
  ])('refused: %j, which is no duration', (options) => {
    expect(() => resolve(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })
})
