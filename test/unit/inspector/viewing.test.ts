/** An inspector with a viewer: opened on the engine that it is given to, and never in its way. */

import { createServer } from 'node:net'
import { createEngine, defineActivity } from 'stele'
import { inspector } from 'stele/inspector'
import { expect, test } from 'vitest'
import { askViewer, testToken } from '../../support/viewer.ts'

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

const openEngine = (inspect: ReturnType<typeof inspector>) =>
  createEngine({ storage: ':memory:', functions: [greet], logger: false, inspect })

test('the engine that has it has a viewer, and they close together', async () => {
  const inspect = inspector({ port: 0, token: testToken })
  const engine = await openEngine(inspect)
  await engine.start()
  const viewer = await inspect.viewer()
  await (await engine.submit(greet, 'Ann', { id: 'one' })).result()
  expect((await askViewer(viewer, '/api/executions')).json()).toMatchObject({
    items: [{ id: 'one', outcomeType: 'ok' }],
  })
  await engine.stop()
  await inspect.close()
  await expect(askViewer(viewer, '/api/info')).rejects.toThrow('ECONNREFUSED')
})

test('a port that is taken is told to whoever asks, and the engine goes on', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const inspect = inspector({ port })
  await using engine = await openEngine(inspect)
  await engine.start()
  await expect(inspect.viewer()).rejects.toMatchObject({ code: 'viewer_unavailable' })
  expect(await (await engine.submit(greet, 'Ann')).result()).toBe('Hello, Ann')
  taken.close()
})

test('of two engines the first has the viewer', async () => {
  const inspect = inspector({ port: 0, token: testToken })
  await using one = await openEngine(inspect)
  await using two = await openEngine(inspect)
  await two.submit(greet, 'Bob', { id: 'of-two' })
  await one.submit(greet, 'Ann', { id: 'of-one' })
  const viewer = await inspect.viewer()
  expect((await askViewer(viewer, '/api/executions')).json()).toMatchObject({
    items: [{ id: 'of-one' }],
  })
})

test('closed before an engine has it there is no viewer', async () => {
  const inspect = inspector({ port: 0 })
  await inspect.close()
  await expect(inspect.viewer()).rejects.toMatchObject({ code: 'viewer_unavailable' })
})

test('without an option that asks for one there is none either', async () => {
  const inspect = inspector({ onFrame: () => undefined })
  await expect(inspect.viewer()).rejects.toMatchObject({ code: 'invalid_option' })
})

test.each([
  [{ port: -1 }, 'openViewer.port'],
  [{ host: '0.0.0.0' }, 'openViewer.host'],
  [{ token: 'x' }, 'openViewer.token'],
])('%j is refused at once', (options, name) => {
  expect(() => inspector(options)).toThrow(name)
})
