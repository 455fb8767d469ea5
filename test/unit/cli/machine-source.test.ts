/** Where machines come from. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { chooseMachine, findMachines } from '../../../src/cli/machine-source.ts'
import { openConnection } from '../../../src/storage/sqlite/connection.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { openShop, testWorld } from './test-cli.ts'

const engine = ['execution', 'executor', 'locked-execution', 'timers-watcher']

async function namesOf(source: string): Promise<readonly string[]> {
  return (await findMachines(testWorld(), source)).map(({ name }) => name)
}

test('the engine has four, each known by its name', async () => {
  expect(await namesOf('engine')).toEqual(engine)
  expect(await namesOf('executor')).toEqual(['executor'])
})

test('a module has those that it exports', async () => {
  const file = fileURLToPath(new URL('../../../machines/execution.ts', import.meta.url))
  expect(await namesOf(file)).toEqual(['executionMachine'])
})

test('a database has those that engines have registered', async () => {
  using shop = await openShop()
  expect(await namesOf(shop.file)).toEqual([])
  const other = openConnection(shop.file, 0)
  other.runScript(`INSERT INTO functions VALUES
    ('machine', 'order', '1', '{"id":"old","states":{}}', 0, 5),
    ('machine', 'order', '2', '{"id":"new","states":{}}', 0, 9),
    ('machine', 'broken', '1', 'not JSON', 0, 1)`)
  other.close()
  await expect(findMachines(testWorld(), shop.file)).rejects.toMatchObject({
    code: 'storage_corrupt',
    fields: { functionName: 'broken' },
  })
  const last = openConnection(shop.file, 0)
  last.runScript("DELETE FROM functions WHERE name = 'broken'")
  last.close()
  const [found] = await findMachines(testWorld(), shop.file)
  expect(found).toEqual({ name: 'order', machine: { id: 'new', states: {} } })
})

test('what is nowhere: the near ones are named', async () => {
  await expect(findMachines(testWorld(), 'exectuor')).rejects.toThrow('Did you mean executor?')
})

test('what cannot be loaded says why', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('broken.mjs')
  writeFileSync(file, 'throw new Error("not today")')
  await expect(findMachines(testWorld(), file)).rejects.toThrow('not today')
})

const one = { name: 'a', machine: { id: 'alpha' } }
const two = { name: 'b', machine: { id: 'beta' } }

test('the only one needs no name; of several, one is named, or its id', () => {
  expect(chooseMachine([one], 's', undefined)).toBe(one)
  expect(chooseMachine([one, two], 's', 'b')).toBe(two)
  expect(chooseMachine([one, two], 's', 'alpha')).toBe(one)
})

test.each([
  [[], undefined, 's has no machine.'],
  [[one, two], undefined, 's has 2 machines. Name one of them: a, b.'],
  [[one], 'zzz', 's has no machine "zzz". There is a.'],
])('%j, asked for %s', (found, name, said) => {
  expect(() => chooseMachine(found, 's', name)).toThrow(said)
})
