import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createLayouts } from '../../../../src/inspector/server/layouts.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'

/** What runs in the other thread, in place of elk. */
function scriptThat(folder: { readonly file: (name: string) => string }, does: string): URL {
  const file = folder.file('script.mjs')
  writeFileSync(file, `import { parentPort } from 'node:worker_threads'\n${does}`)
  return pathToFileURL(file)
}

test('layouts come from another thread, and are made once', async () => {
  using folder = temporaryDirectory()
  const getLayouts = createLayouts(
    scriptThat(folder, 'parentPort.postMessage({ a: Math.random() })'),
  )
  const layouts = await getLayouts()
  expect(Object.keys(layouts)).toEqual(['a'])
  expect(await getLayouts()).toBe(layouts)
})

test.each([
  ['throws', "throw new Error('no')"],
  ['ends without a word', ''],
])('a thread that %s is an error, and the next question tries again', async (_, does) => {
  using folder = temporaryDirectory()
  const getLayouts = createLayouts(scriptThat(folder, does))
  await expect(getLayouts()).rejects.toMatchObject({ code: 'internal' })
  scriptThat(folder, 'parentPort.postMessage({ b: 1 })')
  expect(await getLayouts()).toEqual({ b: 1 })
})
