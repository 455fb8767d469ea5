/** Executions that nobody can read or run, beside others that have to go on. B17 has those that kill. */

import { expect, it } from 'vitest'
import { corruptState } from '../support/storage/corrupt.ts'
import { executeSql, openFileStorage } from '../support/storage/opened-storage.ts'
import { openStage } from './puppets.ts'

it('rows that cannot be read, and functions that nobody has, hold nobody up', async () => {
  await using stage = openStage()
  const client = await stage.enter()
  await client.ask('open')
  const [bad = '', ...good] = await client.ask('submitMany', 'echo', [1, 2, 3])
  const unreadable = await client.ask('submit', 'echo', 4)
  const unknown = await client.ask('submit', 'nobody-has-this', 5)
  const meddler = await openFileStorage({ file: stage.file })
  await corruptState(meddler, bad)
  await executeSql(meddler, 'DROP TRIGGER events_are_never_changed')
  const damage = `UPDATE events SET body = '{"no' WHERE execution_id = $1`
  await executeSql(meddler, damage, unreadable)
  const puppet = await stage.enter()
  await puppet.ask('open')
  await puppet.ask('start')
  for (const id of good) await client.ask('outcome', id, { timeout: '20s' })
  const workflow = await client.ask('submit', 'order', 1)
  expect(await client.ask('outcome', workflow, { timeout: '20s' })).toMatchObject({ type: 'ok' })
  const reason = 'SELECT set_aside_reason FROM executions WHERE execution_id = $1'
  for (const id of [bad, unreadable]) {
    const [row] = await executeSql(meddler, reason, id)
    expect(row?.['set_aside_reason'], id).toEqual(expect.any(String))
    await expect(client.ask('explain', id)).rejects.toMatchObject({ code: 'storage_corrupt' })
  }
  expect(await client.ask('explain', unknown)).toMatchObject({
    waitingFor: 'an executor',
    problems: [expect.stringContaining('No running engine executes')],
  })
  expect(await puppet.ask('uncaught')).toEqual([])
  await puppet.ask('stop')
  await meddler.storage.close()
})
