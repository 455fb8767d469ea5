/** Where the JSON of an option comes from. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readJson } from '../../../src/cli/read-json.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { testWorld } from './test-cli.ts'

test('from the option itself', async () => {
  expect(await readJson(testWorld(), '[1]', '--input')).toEqual([1])
})

test('nothing is no value', async () => {
  expect(await readJson(testWorld(), undefined, '--input')).toBeUndefined()
})

test('from the standard input', async () => {
  expect(await readJson(testWorld({ input: '{"a":1}' }), '-', '--input')).toEqual({ a: 1 })
})

test('from a file', async () => {
  using directory = temporaryDirectory()
  writeFileSync(directory.file('a.json'), '"x"')
  expect(await readJson(testWorld(), `@${directory.file('a.json')}`, '--input')).toBe('x')
})

test('a file that is not there is named', async () => {
  await expect(readJson(testWorld(), '@nowhere.json', '--input')).rejects.toThrow(
    '--input names the file "nowhere.json", which cannot be read.',
  )
})
