/** Sockets: who may open one, what they are told, and that they cannot hurt. */

import { defineActivity } from 'stele'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RawData, WebSocket } from 'ws'
import { frameMax, socketsMax } from '../../../../src/inspector/server/live.ts'
import type { Viewer } from '../../../../src/inspector/server/open-viewer.ts'
import { openTestViewer, testToken } from '../../../support/viewer.ts'
import { openTestEngine, type TestEngine } from '../../client/test-engine.ts'

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

let world: TestEngine
let viewer: Viewer

beforeEach(async () => {
  world = await openTestEngine({ functions: [greet], started: false })
  viewer = await openTestViewer({ engine: world.engine })
})

afterEach(async () => {
  await viewer.close()
  await world.stop()
})

interface Opened {
  readonly socket: WebSocket
  readonly end: Promise<number>
}

/** `end` is the code with which it closed, or the status with which it was refused. */
function open(path = `/live?token=${testToken}`, headers = {}): Opened {
  const socket = new WebSocket(`ws://127.0.0.1:${viewer.port}${path}`, { headers })
  const end = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('close', resolve)
    socket.on('error', () => undefined)
  })
  return { socket, end }
}

const opened = ({ socket }: Opened): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('error', reject)
  })

/** One message is one buffer, since nothing here asks for anything else. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString('utf8') : ''
}

test('a socket hears of executions that change, by their ids', async () => {
  const one = open()
  await opened(one)
  const heard = new Promise<string>((resolve) => {
    one.socket.on('message', (data) => resolve(textOf(data)))
  })
  await world.engine.submit(greet, 'Ann', { id: 'order-1' })
  expect(JSON.parse(await heard)).toEqual({ type: 'changes', ids: ['order-1'], more: false })
})

test.each<[string, string, object, number]>([
  ['without a token', '/live', {}, 401],
  ['with a wrong token', '/live?token=guess', {}, 401],
  ['from another page', `/live?token=${testToken}`, { origin: 'http://evil.example' }, 403],
  ['under another name', `/live?token=${testToken}`, { host: 'evil.example' }, 421],
  ['elsewhere', `/other?token=${testToken}`, {}, 404],
])('a socket %s is refused', async (_, path, headers, status) => {
  expect(await open(path, headers).end).toBe(status)
})

test('a frame that is too large closes its socket', async () => {
  const one = open()
  await opened(one)
  one.socket.send('x'.repeat(frameMax + 1))
  expect(await one.end).toBe(1009)
})

test('a frame that means nothing is passed over', async () => {
  const one = open()
  await opened(one)
  for (const text of ['hello', '{}', '{"type":"cancel","id":"x"}']) one.socket.send(text)
  one.socket.close(1000)
  expect(await one.end).toBe(1000)
})

test('there are no more sockets than the limit', async () => {
  const all = Array.from({ length: socketsMax }, () => open())
  await Promise.all(all.map(opened))
  expect(await open().end).toBe(503)
})

test('closing the viewer closes every socket, and can be asked for twice', async () => {
  const one = open()
  await opened(one)
  await Promise.all([viewer.close(), viewer.close()])
  expect(await one.end).toBe(1006)
})

test('a socket that is closed is told nothing more, and nobody listens for it', async () => {
  const one = open()
  await opened(one)
  one.socket.terminate()
  await one.end
  await world.engine.submit(greet, 'Ann', { id: 'after' })
  expect(await (await world.engine.get('after')).state()).toMatchObject({ status: 'pending_at' })
})
