/** Rows that cannot be read, of every kind that the timers watcher meets, and what is beside them. */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { timersPerTick } from '../../src/engine/timers-watcher.ts'
import { corruptState } from '../support/storage/corrupt.ts'
import { executeSql, openFileStorage } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const hang = defineActivity(
  { name: 'hang', lockExpiry: '1s', timeout: '1h', retry: { maxRetries: 1, backoff: 10 } },
  (_: undefined, { attempt }) => (attempt === 2 ? 'second' : new Promise<string>(() => undefined)),
)
const nap = defineWorkflow({ name: 'nap' }, async (seconds: number, { sleep, now }) => {
  await sleep(seconds * 1_000)
  return now()
})
const parent = defineWorkflow({ name: 'parent' }, (_: undefined, { call }) => call(nap, 3_600))
const functions = [hang, nap, parent]

/** What an engine logs, in sentences. */
function createLog() {
  const lines: string[] = []
  const note = (_: object, message: string): void => {
    lines.push(message)
  }
  const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note }
  return { lines, logger }
}

describe('B40: what cannot be read', () => {
  it('B40: stops neither locks, nor delays, nor cancellations of others', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('poison.db')
    // Its process dies with all that it holds: its time stands still.
    const dead = await openTestEngine({ functions, file })
    for (const kind of ['bad', 'good']) {
      await dead.engine.submit(hang, undefined, { id: `${kind}-lock` })
      await dead.engine.submit(nap, 60, { id: `${kind}-delay` })
      await dead.engine.submit(parent, undefined, { id: `${kind}-cancel` })
    }
    await dead.engine.submit(nap, 61, { id: 'later' })
    await dead.settle()
    for (const kind of ['bad', 'good']) await (await dead.engine.get(`${kind}-cancel`)).cancel()
    const meddler = await openFileStorage({ file })
    for (const kind of ['lock', 'delay', 'cancel']) await corruptState(meddler, `bad-${kind}`)
    const { lines, logger } = createLog()
    await using world = await openTestEngine({ functions, file, time: createTestTime(), logger })
    await world.advance(120_000)
    const ids = ['good-lock', 'good-delay', 'good-cancel', 'later']
    const handles = await Promise.all(ids.map((id) => world.engine.get(id)))
    const outcomes = await Promise.all(handles.map((handle) => handle.outcome({ timeout: 0 })))
    expect(outcomes).toMatchObject([
      { type: 'ok', value: 'second' },
      { type: 'ok', value: 60_000 },
      { type: 'execution_failure', kind: 'cancelled' },
      // On time: the watcher is not slowed down by what it cannot do.
      { type: 'ok', value: 61_000 },
    ])
    expect(lines.filter((line) => line.includes('watcher failed'))).toEqual([])
    expect(lines.length).toBeLessThan(10)
    const rows = await executeSql(
      meddler,
      'SELECT execution_id FROM executions WHERE set_aside_reason IS NOT NULL ORDER BY 1',
    )
    expect(rows.map((row) => row['execution_id'])).toEqual(['bad-cancel', 'bad-lock'])
    await meddler.storage.close()
    await dead.stop()
  })

  it('B40: a delay whose execution was repaired fires when it is let go', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('poison.db')
    const { lines, logger } = createLog()
    await using world = await openTestEngine({ functions, file, logger })
    const handle = await world.engine.submit(nap, 60, { id: 'n' })
    await world.settle()
    const meddler = await openFileStorage({ file })
    await corruptState(meddler, 'n')
    await world.advance(70_000)
    const held = lines.filter((line) => line.includes('held back'))
    expect(held).toHaveLength(1)
    await executeSql(meddler, "UPDATE executions SET failures = 0 WHERE execution_id = 'n'")
    await meddler.storage.close()
    const { events } = await handle.log()
    const delay = events.find(({ type }) => type === 'join_set_request')
    expect(delay).toMatchObject({ delayId: expect.any(String) })
    const { delayId } = delay as unknown as { readonly delayId: string }
    await world.engine.delay(delayId).unpause()
    await world.advance(100)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({ type: 'ok' })
  })

  it('B40: any number of delays that belong to nobody crowd nobody out', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('orphans.db')
    const { lines, logger } = createLog()
    await using world = await openTestEngine({ functions, file, logger })
    const meddler = await openFileStorage({ file })
    await executeSql(
      meddler,
      `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < $1)
       INSERT INTO delays SELECT 'Delay_gone.n:set_' || i, 'gone', 10, 0 FROM n`,
      3 * timersPerTick,
    )
    await meddler.storage.close()
    const handle = await world.engine.submit(nap, 1)
    await world.advance(2_000)
    expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: 1_000 })
    // A line for each would be a flood.
    expect(lines.length).toBeLessThan(10)
  })
})
