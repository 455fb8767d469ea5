import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { defineActivity } from 'stele'
import { openViewer } from 'stele/inspector'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { askViewer, openTestViewer, testToken } from '../support/viewer.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const pay = defineActivity({ name: 'pay' }, (card: string) => card)

async function openWorld() {
  const world = await openTestEngine({ functions: [pay], started: false })
  await world.engine.submit(pay, 'secret-card-number', { id: 'order-1' })
  return world
}

/** Addresses of this machine that others may know. */
const outside = Object.values(networkInterfaces())
  .flatMap((found = []) => found)
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address)

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

it('B95: a viewer listens to this machine alone', async () => {
  await using world = await openWorld()
  await using viewer = await openTestViewer({ engine: world.engine })
  expect(await reaches('127.0.0.1', viewer.port)).toBe(true)
  for (const address of outside) expect(await reaches(address, viewer.port)).toBe(false)
})

it('B95: to listen to others it must be given an address and a token', async () => {
  await using world = await openWorld()
  await expect(openViewer({ engine: world.engine, host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('token'),
  })
  await using viewer = await openTestViewer({ engine: world.engine, host: '0.0.0.0' })
  expect((await askViewer(viewer, '/api/info', { withToken: false })).status).toBe(401)
})

it('B95: nothing is answered without the token, not even that it is missing data', async () => {
  await using world = await openWorld()
  await using viewer = await openTestViewer({ engine: world.engine })
  const paths = ['/', '/stately', '/assets/main.js', '/api/executions', '/api/execution?id=order-1']
  for (const path of paths) {
    const { status, text } = await askViewer(viewer, path, { withToken: false })
    expect(status).toBe(401)
    expect(text).not.toContain('secret-card-number')
    expect(text).not.toContain('order-1')
  }
})

it('B95: a page of somebody else gets nothing, though the browser sends the cookie along', async () => {
  await using world = await openWorld()
  await using viewer = await openTestViewer({ engine: world.engine, actions: true })
  const first = await askViewer(viewer, `/?token=${testToken}`, { withToken: false })
  const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const evil = { cookie, origin: 'http://evil.example' }
  const read = await askViewer(viewer, '/api/executions', { withToken: false, headers: evil })
  expect(read.status).toBe(403)
  const body = JSON.stringify({ id: 'order-1' })
  const headers = { ...evil, 'content-type': 'application/json' }
  const written = { withToken: false, method: 'POST', headers, body }
  expect((await askViewer(viewer, '/api/cancel', written)).status).toBe(403)
  expect(await (await world.engine.get('order-1')).state()).toMatchObject({ status: 'pending_at' })
  const socket = new WebSocket(`ws://127.0.0.1:${viewer.port}/live`, { headers: evil })
  await expect(new Promise((_, reject) => socket.on('error', reject))).rejects.toThrow('403')
})

it('B95: a name that is pointed at this machine opens nothing', async () => {
  await using world = await openWorld()
  await using viewer = await openTestViewer({ engine: world.engine })
  const headers = { host: `evil.example:${viewer.port}` }
  expect((await askViewer(viewer, '/api/executions', { headers })).status).toBe(421)
})
