/** Who is let in: by Host, Origin and token, whatever else a request says. */

import { describe, expect, test } from 'vitest'
import {
  checkRequest,
  type GateRules,
  loopbackHosts,
  type RequestHead,
} from '../../../../src/inspector/server/gate.ts'

const token = 'a-token-of-the-test'
const rules: GateRules = {
  token,
  cookieName: 'stele_x',
  hosts: new Set(loopbackHosts),
  anyAddress: false,
}
const host = '127.0.0.1:4000'
const origin = `http://${host}`

function statusOf(head: Partial<RequestHead>, by: GateRules = rules): number {
  const answer = checkRequest(by, { method: 'GET', url: '/', headers: {}, ...head })
  return answer.ok ? 200 : answer.status
}

const withToken = `/?token=${token}`

describe('the token', () => {
  test('opens the gate from the URL, a header or the cookie', () => {
    const bearer = { host, authorization: `Bearer ${token}` }
    const cookie = { host, cookie: `other=1; stele_x=${token}` }
    expect(statusOf({ url: withToken, headers: { host } })).toBe(200)
    expect(statusOf({ headers: bearer })).toBe(200)
    expect(statusOf({ headers: cookie })).toBe(200)
  })

  test.each<[string, Partial<RequestHead>]>([
    ['is missing', { headers: { host } }],
    ['is wrong in the URL', { url: '/?token=guess', headers: { host } }],
    ['is empty', { url: '/?token=', headers: { host } }],
    ['is wrong in the header', { headers: { host, authorization: 'Bearer guess' } }],
    ['is in a header of another kind', { headers: { host, authorization: `Basic ${token}` } }],
    ['is in the cookie of another viewer', { headers: { host, cookie: `stele_y=${token}` } }],
    [
      'is wrong in the URL and right in the cookie',
      {
        url: '/?token=guess',
        headers: { host, cookie: `stele_x=${token}` },
      },
    ],
  ])('when it %s the gate stays shut', (_, head) => {
    expect(statusOf(head)).toBe(401)
  })
})

describe('the host', () => {
  test.each(['127.0.0.1:4000', 'localhost:4000', 'LOCALHOST', '[::1]:4000', '127.0.0.1:9'])(
    '%s is this machine, through whatever tunnel',
    (name) => {
      expect(statusOf({ url: withToken, headers: { host: name } })).toBe(200)
    },
  )

  test.each(['evil.example', 'evil.example:4000', '127.0.0.1.evil.example', '10.0.0.7', '0.0.0.0'])(
    '%s is a name that somebody else has pointed here',
    (name) => {
      expect(statusOf({ url: withToken, headers: { host: name } })).toBe(421)
    },
  )

  test.each(['', 'a b', 'user:password@127.0.0.1'])('%j is none', (name) => {
    expect(statusOf({ url: withToken, headers: { host: name } })).toBe(400)
  })

  test.each(['http://evil.example/', '//evil.example/', 'no-slash', '*'])(
    'a target %s cannot name another',
    (url) => {
      expect(statusOf({ url, headers: { host } })).toBe(400)
    },
  )

  test('on every interface any address will do, and still no other name', () => {
    const open = { ...rules, anyAddress: true }
    expect(statusOf({ url: withToken, headers: { host: '10.0.0.7:4000' } }, open)).toBe(200)
    expect(statusOf({ url: withToken, headers: { host: '[fe80::1]' } }, open)).toBe(200)
    expect(statusOf({ url: withToken, headers: { host: 'evil.example' } }, open)).toBe(421)
  })
})

describe('the origin', () => {
  const cookie = `stele_x=${token}`

  test('may be the viewer itself', () => {
    expect(statusOf({ headers: { host, cookie, origin } })).toBe(200)
  })

  test.each(['http://evil.example', 'http://127.0.0.1:5000', 'https://127.0.0.1:4000', 'null'])(
    '%s is another page, whatever it knows',
    (other) => {
      expect(statusOf({ url: withToken, headers: { host, cookie, origin: other } })).toBe(403)
    },
  )

  test.each(['cross-site', 'same-site'])('a page of a %s cannot load anything', (site) => {
    const headers = { host, cookie, 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }
    expect(statusOf({ url: '/api/info', headers })).toBe(403)
  })

  test('a link that opens the viewer may stand anywhere', () => {
    const headers = {
      host,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect(statusOf({ url: withToken, headers })).toBe(200)
  })

  test('must be said where a cookie alone would do something', () => {
    expect(statusOf({ method: 'POST', headers: { host, cookie } })).toBe(403)
    expect(statusOf({ isUpgrade: true, headers: { host, cookie } })).toBe(403)
    expect(statusOf({ method: 'POST', headers: { host, cookie, origin } })).toBe(200)
    const bearer = { host, authorization: `Bearer ${token}` }
    expect(statusOf({ method: 'POST', headers: bearer })).toBe(200)
  })
})

test('says what the token came by, so that it is kept once', () => {
  const answer = checkRequest(rules, { method: 'GET', url: withToken, headers: { host } })
  expect(answer).toMatchObject({ ok: true, by: 'url' })
})
