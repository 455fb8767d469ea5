import { createEngine, defineActivity } from 'stele'
import { expect, test } from 'vitest'
import type { Codec } from '../../../../src/base/codec.ts'
import type { Json } from '../../../../src/base/json.ts'
import { openSource } from '../../../../src/inspector/server/source.ts'
import { testEnvironment } from '../../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'
import { openTestEngine } from '../../client/test-engine.ts'

const echo = defineActivity({ name: 'echo' }, (input: string) => input)

async function makeDatabase(file: string): Promise<void> {
  await using engine = await createEngine({ storage: file, functions: [echo], logger: false })
  await engine.submit(echo, 'x', { id: 'one' })
}

const request = { id: 'one', createdAt: 1 } as const

test('a database is opened to be read, and nothing can be written', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('app.db')
  await makeDatabase(file)
  const source = await openSource({ storage: file, actions: false, ...testEnvironment() })
  const { storage } = source.context
  expect((await storage.listExecutions({ filter: {}, limit: 10 })).items.length).toBe(1)
  const pausing = storage.pause({ executionId: request.id as never, createdAt: 1 })
  await expect(pausing).rejects.toMatchObject({ code: 'storage_read_only' })
  await source.close()
})

test('where actions are on it can be', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('app.db')
  await makeDatabase(file)
  const source = await openSource({ storage: file, actions: true, ...testEnvironment() })
  const paused = await source.context.storage.pause({
    executionId: request.id as never,
    createdAt: 1,
  })
  expect(paused.ok).toBe(true)
  await source.close()
})

test('closing the source of an engine leaves the engine alone', async () => {
  await using world = await openTestEngine({ functions: [echo] })
  const { kind, close } = await openSource({
    engine: world.engine,
    actions: false,
    ...testEnvironment(),
  })
  await close()
  expect(kind).toBe('engine')
  expect((await world.engine.list()).items).toEqual([])
})

test('a value that the codec cannot read is given as it is stored', async () => {
  const codec: Codec = {
    encode: (value) => value as Json,
    decode: () => {
      throw new Error('a key is missing')
    },
  }
  await using world = await openTestEngine({ functions: [echo], codec, started: false })
  const source = await openSource({
    engine: world.engine,
    actions: false,
    ...testEnvironment(),
  })
  expect(source.context.codec.decode({ a: 1 })).toEqual({ a: 1 })
})
