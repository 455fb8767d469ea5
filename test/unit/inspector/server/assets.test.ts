import { mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createAssets } from '../../../../src/inspector/server/assets.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'

test('files of the viewer are there under their names, with their types', async () => {
  using folder = temporaryDirectory()
  mkdirSync(folder.file('viewer'))
  writeFileSync(folder.file('viewer/main.js'), 'export {}')
  writeFileSync(folder.file('viewer/viewer.css'), 'a {}')
  const assets = createAssets(pathToFileURL(folder.file('viewer/')))
  expect(await assets('/assets/main.js')).toMatchObject({ type: 'text/javascript; charset=utf-8' })
  expect(await assets('/assets/viewer.css')).toMatchObject({ type: 'text/css; charset=utf-8' })
  expect(String((await assets('/assets/main.js'))?.body)).toBe('export {}')
})

test('so is the package it is drawn with', async () => {
  using folder = temporaryDirectory()
  const assets = createAssets(pathToFileURL(folder.file('')))
  for (const name of ['preact.mjs', 'preact-hooks.mjs', 'preact-jsx-runtime.mjs']) {
    expect(String((await assets(`/assets/${name}`))?.body)).toContain('export')
  }
})

test.each([
  '/assets/../secret.js',
  '/assets/%2e%2e/secret.js',
  '/assets/..%2fsecret.js',
  '/assets/sub/inner.js',
  '/assets/notes.txt',
  '/assets/',
  '/secret.js',
  '/etc/passwd',
])('%s is not there', async (path) => {
  using folder = temporaryDirectory()
  writeFileSync(folder.file('secret.js'), 'secret')
  mkdirSync(folder.file('viewer/sub'), { recursive: true })
  writeFileSync(folder.file('viewer/sub/inner.js'), 'inner')
  writeFileSync(folder.file('viewer/notes.txt'), 'notes')
  const assets = createAssets(pathToFileURL(folder.file('viewer/')))
  expect(await assets(path)).toBeUndefined()
})

test('a viewer that was not built has its pages, and no files', async () => {
  using folder = temporaryDirectory()
  const assets = createAssets(pathToFileURL(folder.file('missing/')))
  expect(await assets('/assets/main.js')).toBeUndefined()
})
