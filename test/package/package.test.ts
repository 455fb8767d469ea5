/** The package as a user gets it. Needs a build. */
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Consumer, openConsumer } from './consumer.ts'

let consumer: Consumer

beforeAll(async () => {
  consumer = await openConsumer()
})

afterAll(async () => {
  await consumer[Symbol.asyncDispose]()
})

test('holds the build, the licence, the readme and nothing else', () => {
  const expected =
    /^(?:dist\/(?:src|machines)\/.*\.(?:js|d\.ts|js\.map)|dist\/src\/inspector\/viewer\/viewer\.css|package\.json|README\.md|LICENSE)$/
  expect(consumer.files.filter((path) => !expected.test(path))).toEqual([])
  expect(consumer.files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/src/index.js',
      'dist/src/index.d.ts',
      'dist/src/inspector/viewer/main.js',
      'dist/src/inspector/viewer/viewer.css',
    ]),
  )
})

test.each(['run.mjs', 'run.cjs'])(
  '%s finishes an activity and leaves nothing behind',
  async (file) => {
    expect(await consumer.node(file)).toEqual({ code: 0, output: 'function 42\n' })
  },
)

test('an ES module and a CommonJS module type-check against it, library types included', async () => {
  expect(await consumer.tool('tsc', '-p', '.')).toEqual({ code: 0, output: '' })
})

test('they type-check as well where optional properties are taken exactly', async () => {
  // The types of xstate do not compile so, with or without this package.
  const exactly = ['--exactOptionalPropertyTypes', '--skipLibCheck']
  expect(await consumer.tool('tsc', '-p', '.', ...exactly)).toEqual({ code: 0, output: '' })
})

test('what is not exported cannot be imported', async () => {
  const { code, output } = await consumer.node('-e', 'require("stele/dist/src/index.js")')
  expect(code).not.toBe(0)
  expect(output).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
})

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pkgDir: consumer.installed, pack: false, strict: true })
  expect(messages).toEqual([])
})

test('the types are right for every way of importing it', async () => {
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--no-color']
  const { code, output } = await consumer.tool('attw', consumer.tarball, ...options)
  expect(code, output).toBe(0)
  expect(output).toContain('OK (ESM)')
})
