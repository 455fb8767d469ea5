import { expect, test } from 'vitest'
import { drawLifecycle } from '../../../../src/inspector/server/lifecycle-chart.ts'
import { followPath } from '../../../../src/inspector/server/path.ts'
import { executionId } from '../../../support/storage/ids.ts'
import { openMemoryStorage } from '../../../support/storage/opened-storage.ts'
import { present } from '../../../support/storage/results.ts'
import { createLocked } from '../../../support/storage/steps.ts'

const lifecycle = drawLifecycle()

test('the last version stands where the execution stands', async () => {
  const { storage } = await openMemoryStorage()
  await createLocked(storage, 'a')
  const record = present(await storage.findRecord(executionId('a'), 100), 'the record')
  const path = followPath(lifecycle, { executionId: executionId('a'), ...record })
  expect(path.activeAt.map((set) => path.actives[set])).toEqual([
    ['open', 'open.pending_at'],
    ['open', 'open.locked'],
  ])
  const [none, taken] = path.takenAt.map((set) => path.takens[set])
  expect(none).toEqual([])
  const edge = lifecycle.small.edges.find(({ id }) => id === taken?.[0])
  expect(edge).toMatchObject({ event: 'locked', source: 'open.pending_at' })
  await storage.close()
})
