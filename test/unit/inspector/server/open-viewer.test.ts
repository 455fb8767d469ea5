import { createServer } from 'node:net'
import { createEngine, defineActivity, isSteleError } from 'stele'
import { expect, test } from 'vitest'
import { openViewer } from '../../../../src/inspector/server/open-viewer.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'
import { askViewer, openTestViewer } from '../../../support/viewer.ts'
import { openTestEngine } from '../../client/test-engine.ts'

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

async function codeOf(opening: Promise<unknown>): Promise<string | undefined> {
  const cause: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return isSteleError(cause) ? cause.code : undefined
}

test('the URL is on this machine, and opens the viewer', async () => {
  await using world = await openTestEngine({ functions: [greet] })
  await using viewer = await openViewer({ engine: world.engine })
  expect(viewer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/)
  expect((await fetch(viewer.url)).status).toBe(200)
  expect((await fetch(new URL('/', viewer.url))).status).toBe(401)
})

test('two viewers have two tokens', async () => {
  await using world = await openTestEngine()
  await using one = await openViewer({ engine: world.engine })
  await using other = await openViewer({ engine: world.engine })
  const tokenOf = ({ url }: { url: string }) => new URL(url).searchParams.get('token')
  expect(tokenOf(one)).not.toBe(tokenOf(other))
})

test('a viewer closes with its engine', async () => {
  const world = await openTestEngine()
  const viewer = await openTestViewer({ engine: world.engine })
  await world.stop()
  await viewer.close()
  await expect(askViewer(viewer, '/api/info')).rejects.toThrow('ECONNREFUSED')
})

test('an engine goes on when its viewer is closed', async () => {
  await using world = await openTestEngine({ functions: [greet] })
  const viewer = await openTestViewer({ engine: world.engine })
  await viewer.close()
  const handle = await world.engine.submit(greet, 'Ann')
  await world.settle()
  expect(await handle.result()).toBe('Hello, Ann')
})

test('a database is looked at while its engine runs, and after', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('app.db')
  const engine = await createEngine({ storage: file, functions: [greet], logger: false })
  await engine.start()
  await (await engine.submit(greet, 'Ann', { id: 'one' })).result()
  await using during = await openTestViewer({ storage: file })
  expect((await askViewer(during, '/api/executions')).json()).toMatchObject({
    items: [{ id: 'one', outcomeType: 'ok' }],
  })
  await engine.stop()
  await using after = await openTestViewer({ storage: file })
  expect((await askViewer(after, '/api/info')).json()).toMatchObject({
    source: 'database',
    name: 'app.db',
  })
  expect((await askViewer(after, '/api/execution?id=one')).json()).toMatchObject({
    input: { text: '"Ann"' },
    outcome: [{ text: 'ok' }, { text: '"Hello, Ann"' }],
  })
})

test('a port that is taken is an error of its own, and the engine is not touched', async () => {
  await using world = await openTestEngine({ functions: [greet] })
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  expect(await codeOf(openViewer({ engine: world.engine, port }))).toBe('viewer_unavailable')
  expect((await world.engine.list()).items).toEqual([])
  taken.close()
})

test.each([
  ['neither engine nor storage', {}],
  ['both', { engine: {}, storage: 'x.db' }],
  ['what is no engine', { engine: {} }],
])('%s is refused', async (_, options) => {
  expect(await codeOf(openViewer(options))).toBe('invalid_option')
})

test('a file that is not there is not made', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('missing.db')
  expect(await codeOf(openViewer({ storage: file }))).toBe('storage_unavailable')
  const { existsSync } = await import('node:fs')
  expect(existsSync(file)).toBe(false)
})
