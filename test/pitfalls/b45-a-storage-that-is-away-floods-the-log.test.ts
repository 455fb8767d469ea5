import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { SteleError } from '../../src/base/error.ts'
import type { Driver } from '../../src/storage/driver.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

it('B45: minutes without a storage make a few lines of log, and work goes on afterwards', async () => {
  let away = false
  const lines: string[] = []
  const write = (_: object, message: string): void => {
    lines.push(message)
  }
  const logger = { debug: () => undefined, info: write, warn: write, error: write }
  const wrap = (driver: Driver): Driver => {
    const fail = (): Promise<never> =>
      Promise.reject(new SteleError('storage_unavailable', 'Away.'))
    return {
      ...driver,
      write: (protocol) => (away ? fail() : driver.write(protocol)),
      read: (protocol) => (away ? fail() : driver.read(protocol)),
    }
  }
  const work = defineActivity({ name: 'work' }, () => 'done')
  await using world = await openTestEngine({ functions: [work], wrap, logger })
  const handle = await world.engine.submit(work, undefined, { delay: 5 })
  away = true
  await world.advance(5 * 60_000)
  const during = lines.length
  expect(lines.some((line) => line.includes('storage_unavailable'))).toBe(true)
  expect(during).toBeLessThanOrEqual(5)
  away = false
  await world.advance(10_000)
  expect(await handle.result({ timeout: 0 })).toBe('done')
  expect(lines.slice(during).every((line) => line.endsWith('works again'))).toBe(true)
})
