import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { finishedEvent } from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import { executeSql, openMemoryStorage } from '../support/storage/opened-storage.ts'
import { appendRequest, lockRequest } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import { createActivity } from '../support/storage/steps.ts'

it('B62: a compare-and-swap is decided by the rows it returns, whatever triggers change beside it', async () => {
  const opened = await openMemoryStorage()
  const { storage } = opened
  await executeSql(
    opened,
    `CREATE TRIGGER meddle AFTER UPDATE ON executions
     BEGIN UPDATE migrations SET name = name || '!'; END`,
  )
  await createActivity(storage, 'a')
  const { locked } = await storage.lockDue(() => lockRequest(5))
  const known = locked[0]?.state
  expect(known?.executionId).toBe(executionId('a'))
  const request = { ...appendRequest(['a', 2], [finishedEvent()]), known }
  await accepted(storage.append(request))
  expect(await refused(storage.append(request))).toMatchObject({
    kind: expect.stringMatching(/^(?:version_conflict|already_finished)$/),
  })
  await storage.close()
})

it('B62: no file of the storage reads how many rows a driver says it changed', () => {
  const folder = fileURLToPath(new URL('../../src/storage', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((path) => path.endsWith('.ts'))
  expect(sources.length).toBeGreaterThan(20)
  const counting = sources.filter((path) =>
    /\.changes\b|\bchanges\(\)|\btotal_changes/.test(readFileSync(`${folder}/${path}`, 'utf8')),
  )
  expect(counting).toEqual([])
})
