import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importModule } from '../../../src/cli/import-module.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'

test('gives what a module exports, by name', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('given.mjs')
  writeFileSync(file, 'export const answer = 42\n')
  expect(await importModule(file)).toMatchObject({ answer: 42 })
})

test('names the file that cannot be loaded', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('broken.mjs')
  writeFileSync(file, 'export const = 1\n')
  const loading = importModule(file)
  await expect(loading).rejects.toMatchObject({ code: 'invalid_option', fields: { source: file } })
})
