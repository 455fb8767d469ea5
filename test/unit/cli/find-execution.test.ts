/** Finding an execution, or those that are near. */
import { expect, test } from 'vitest'
import { findExecution } from '../../../src/cli/find-execution.ts'
import { openForReading, useDatabase } from '../../../src/cli/open-database.ts'
import { openShop, testWorld } from './test-cli.ts'

test.each([
  ['wating', ['waiting']],
  ['waiting.o:1-charge', ['waiting.o:1-charge_1']],
  ['xxxxxxxxxxxx', []],
])('near %s are %j', async (id, near) => {
  using shop = await openShop()
  const world = testWorld({ time: shop.time })
  const finding = useDatabase(openForReading(world, shop.file), (database) =>
    findExecution(database, id),
  )
  await expect(finding).rejects.toMatchObject({ code: 'execution_not_found', fields: { near } })
})

test('what is no id is refused as such', async () => {
  using shop = await openShop()
  const world = testWorld({ time: shop.time })
  const finding = useDatabase(openForReading(world, shop.file), (database) =>
    findExecution(database, 'a b'),
  )
  await expect(finding).rejects.toMatchObject({ code: 'invalid_execution_id' })
})

test('one that is there is found', async () => {
  using shop = await openShop()
  const world = testWorld({ time: shop.time })
  const found = await useDatabase(openForReading(world, shop.file), (database) =>
    findExecution(database, 'paid'),
  )
  expect(found.id).toBe('paid')
})
