/** The bridge's sockets: frames of the engine's actors, for those who are let in. */

import { createEngine, defineActivity } from 'stele'
import { inspector } from 'stele/inspector'
import { expect, test } from 'vitest'
import { type RawData, WebSocket } from 'ws'
import { bridgesMax } from '../../../../src/inspector/server/frame-sockets.ts'
import { openTestViewer, testToken } from '../../../support/viewer.ts'
import { openTestEngine } from '../../client/test-engine.ts'

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

function open(port: number, token = testToken): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/frames?token=${token}`)
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** One message is one buffer, since nothing here asks for anything else. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : ''
}

test('a bridge hears of the executors first, and then of each execution that they hold', async () => {
  const inspect = inspector({ port: 0, token: testToken })
  await using engine = await createEngine({
    storage: ':memory:',
    functions: [greet],
    logger: false,
    inspect,
  })
  await engine.start()
  const { port } = await inspect.viewer()
  const socket = new WebSocket(`ws://127.0.0.1:${port}/frames?token=${testToken}`)
  const seen: { readonly type: string; readonly sessionId: string }[] = []
  const isFinished = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const frame = JSON.parse(textOf(data)) as (typeof seen)[number] & {
        readonly snapshot?: { readonly value?: unknown }
      }
      seen.push(frame)
      if (frame.sessionId === 'one' && frame.snapshot?.value === 'finished') resolve()
    })
  })
  await new Promise<void>((resolve) => socket.on('open', () => resolve()))
  await engine.submit(greet, 'Ann', { id: 'one' })
  await isFinished
  expect(seen[0]).toMatchObject({ type: '@xstate.actor' })
  expect(seen.some(({ sessionId }) => sessionId.startsWith('Exr_'))).toBe(true)
})

test('one without the token is refused', async () => {
  await using world = await openTestEngine()
  await using viewer = await openTestViewer({ engine: world.engine })
  await expect(open(viewer.port, 'guess')).rejects.toThrow('401')
})

test('there are no more bridges than the limit, and a viewer without frames has quiet ones', async () => {
  await using world = await openTestEngine()
  await using viewer = await openTestViewer({ engine: world.engine })
  for (let count = 0; count < bridgesMax; count += 1) await open(viewer.port)
  await expect(open(viewer.port)).rejects.toThrow('503')
})

test('a bridge that names an execution gets its past; one that names none is closed', async () => {
  await using world = await openTestEngine({ functions: [greet] })
  await world.engine.submit(greet, 'Ann', { id: 'one' })
  await world.settle()
  await using viewer = await openTestViewer({ engine: world.engine })
  const past = new WebSocket(`ws://127.0.0.1:${viewer.port}/frames?id=one&token=${testToken}`)
  const values: unknown[] = []
  await new Promise<void>((resolve) => {
    past.on('message', (data) => {
      const frame = JSON.parse(textOf(data)) as { readonly snapshot?: { readonly value?: unknown } }
      values.push(frame.snapshot?.value)
      if (frame.snapshot?.value === 'finished') resolve()
    })
  })
  expect(values).toContainEqual({ open: 'locked' })
  const nobody = new WebSocket(`ws://127.0.0.1:${viewer.port}/frames?id=nobody&token=${testToken}`)
  expect(await new Promise((resolve) => nobody.on('close', resolve))).toBe(1005)
})
