/** What the server answers, and what it refuses, over real connections. */

import { defineActivity } from 'stele'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyMax } from '../../../../src/inspector/server/body.ts'
import type { Viewer } from '../../../../src/inspector/server/open-viewer.ts'
import { actOn, askViewer, openTestViewer } from '../../../support/viewer.ts'
import { openTestEngine, type TestEngine } from '../../client/test-engine.ts'

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

let world: TestEngine
let viewer: Viewer
let acting: Viewer

beforeAll(async () => {
  world = await openTestEngine({ functions: [greet], started: false })
  await world.engine.submit(greet, 'Ann', { id: 'one' })
  viewer = await openTestViewer({ engine: world.engine })
  acting = await openTestViewer({ engine: world.engine, actions: true })
})

afterAll(async () => {
  await viewer.close()
  await acting.close()
  await world.stop()
})

describe('answers', () => {
  test('the page sets the cookie when the token came in the URL, and no other time', async () => {
    const { search } = new URL(viewer.url)
    const first = await askViewer(viewer, `/${search}`, { withToken: false })
    expect(first.status).toBe(200)
    expect(first.headers['set-cookie']?.[0]).toMatch(/^stele_\S+; HttpOnly; SameSite=Strict/)
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const next = await askViewer(viewer, '/', { withToken: false, headers: { cookie } })
    expect(next.status).toBe(200)
    expect(next.headers['set-cookie']).toBeUndefined()
  })

  test('every page has a nonce of its own', async () => {
    const policies = await Promise.all(
      ['/', '/'].map(async (path) => {
        const { headers } = await askViewer(viewer, path)
        return headers['content-security-policy']
      }),
    )
    expect(new Set(policies).size).toBe(2)
  })

  test.each(['/', '/stately', '/api/info', '/assets/icon.svg', '/nothing'])(
    '%s has the headers that keep it to itself',
    async (path) => {
      const { headers } = await askViewer(viewer, path)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      })
    },
  )

  test('only the bridge may frame the hosted inspector', async () => {
    const policyOf = async (path: string): Promise<unknown> =>
      (await askViewer(viewer, path)).headers['content-security-policy']
    expect(await policyOf('/stately')).toContain('frame-src https://stately.ai')
    expect(await policyOf('/')).not.toContain('https:')
    expect(await policyOf('/api/info')).not.toContain('https:')
  })

  test('a question about what is not there is an answer with its code', async () => {
    const answer = await askViewer(viewer, '/api/execution?id=nobody')
    expect(answer.status).toBe(404)
    expect(answer.json()).toMatchObject({ error: { code: 'execution_not_found' } })
  })

  test('a question that cannot be read is refused by name', async () => {
    const answer = await askViewer(viewer, '/api/executions?status=lost')
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({ error: { code: 'invalid_option' } })
  })
})

describe('refusals', () => {
  test.each([
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/../../etc/passwd',
    '/assets/viewer-server.ts',
  ])('%s leads nowhere', async (path) => {
    expect((await askViewer(viewer, path)).status).toBe(404)
  })

  test.each(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])('%s is not known', async (method) => {
    expect((await askViewer(viewer, '/api/info', { method })).status).toBe(405)
  })

  test.each(['cancel', 'pause', 'unpause', 'send', 'complete'])(
    '%s is refused where the viewer only looks, and nothing happens',
    async (name) => {
      const answer = await actOn(viewer, name, { id: 'one', channel: 'c', type: 'ok' })
      expect(answer.status).toBe(403)
      expect(await (await world.engine.get('one')).log()).toMatchObject({
        events: [{ type: 'created' }],
      })
    },
  )

  test('an action that nobody knows is not there', async () => {
    expect((await actOn(acting, 'drop', { id: 'one' })).status).toBe(404)
  })

  test('a body that is too large is not read to its end', async () => {
    const body = JSON.stringify({ id: 'one', reason: 'x'.repeat(bodyMax) })
    const headers = { 'content-type': 'application/json' }
    const sent = askViewer(acting, '/api/cancel', { method: 'POST', headers, body })
    const status = await sent.then(
      (answer) => answer.status,
      () => 413,
    )
    expect(status).toBe(413)
    expect(await (await world.engine.get('one')).state()).toMatchObject({ status: 'pending_at' })
  })

  test('a body that is no JSON is refused', async () => {
    const plain = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }
    expect((await askViewer(acting, '/api/pause', plain)).status).toBe(415)
    const headers = { 'content-type': 'application/json' }
    for (const body of ['{', '[]', '1', '']) {
      const answer = await askViewer(acting, '/api/pause', { method: 'POST', headers, body })
      expect(answer.status).toBe(400)
    }
  })

  test('a head that is too large ends the connection', async () => {
    const headers = { 'x-large': 'x'.repeat(64 * 1024) }
    const end = await askViewer(viewer, '/api/info', { headers }).then(
      ({ status }) => status,
      () => 'closed',
    )
    expect([431, 'closed']).toContain(end)
  })
})

describe('actions, where they are on', () => {
  test('pause and unpause', async () => {
    expect((await actOn(acting, 'pause', { id: 'one' })).status).toBe(200)
    expect((await actOn(acting, 'pause', { id: 'one' })).status).toBe(409)
    expect(await (await world.engine.get('one')).state()).toMatchObject({ paused: true })
    expect((await actOn(acting, 'unpause', { id: 'one' })).status).toBe(200)
    expect(await (await world.engine.get('one')).state()).toMatchObject({ paused: false })
  })

  test('the info says so', async () => {
    expect((await askViewer(acting, '/api/info')).json()).toMatchObject({ actions: true })
    expect((await askViewer(viewer, '/api/info')).json()).toMatchObject({
      source: 'engine',
      actions: false,
    })
  })
})
