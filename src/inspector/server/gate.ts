/**
 * Who may ask a viewer anything. Pure: looks at the head of a request, and answers. A browser is
 * made to ask by any page it has open, so the token is not enough: Host and Origin are looked at.
 */

import { isIP } from 'node:net'
import { isSameSecret } from './token.ts'

/** What a viewer lets in. */
export interface GateRules {
  readonly token: string
  /** Of the cookie in which a browser keeps the token. */
  readonly cookieName: string
  /** Names and addresses, in lower case, by which the viewer may be called. */
  readonly hosts: ReadonlySet<string>
  /** It listens on every interface: any address will do, but no other name. */
  readonly anyAddress: boolean
}

/** The head of a request, as far as the gate looks at it. */
export interface RequestHead {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** It wants to become a WebSocket. */
  readonly isUpgrade?: boolean
}

/** Let in, and by what; or turned away, with the status and the reason for it. */
export type GateAnswer =
  | { readonly ok: true; readonly url: URL; readonly by: 'url' | 'header' | 'cookie' }
  | { readonly ok: false; readonly status: 400 | 401 | 403 | 421; readonly reason: string }

/** Names of this machine as it calls itself. */
export const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** Looks at a request before anything else does. */
export function checkRequest(rules: GateRules, head: RequestHead): GateAnswer {
  const host = textOf(head.headers['host'])
  const url = parseUrl(head.url, host)
  if (url === undefined) return refuse(400, 'The request cannot be read.')
  if (!isKnownHost(rules, url.hostname)) {
    return refuse(421, 'The viewer is not called by this name.')
  }
  if (isForeign(head, url)) return refuse(403, 'The viewer answers no other page.')
  const by = findToken(rules, head, url)
  if (by === undefined) return refuse(401, 'Open the viewer with the URL that holds its token.')
  // A cookie is sent by whatever page asks, so here the page must say that it is ours.
  const isSafe = head.isUpgrade !== true && (head.method === 'GET' || head.method === 'HEAD')
  if (by === 'cookie' && !isSafe && textOf(head.headers['origin']) === '') {
    return refuse(403, 'The request does not say which page it comes from.')
  }
  return { ok: true, url, by }
}

function refuse(status: 400 | 401 | 403 | 421, reason: string): GateAnswer {
  return { ok: false, status, reason }
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

/** Undefined as well for a target in absolute form: it may name another host than the header. */
function parseUrl(target: string, host: string): URL | undefined {
  if (host === '' || !target.startsWith('/') || target.startsWith('//')) return undefined
  const text = `http://${host}${target}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

function isKnownHost({ hosts, anyAddress }: GateRules, hostname: string): boolean {
  const name = hostname.toLowerCase()
  if (hosts.has(name)) return true
  return anyAddress && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** From another page: by its Origin, or by what the browser says of the site that asks. */
function isForeign({ headers }: RequestHead, url: URL): boolean {
  const origin = textOf(headers['origin'])
  if (origin !== '' && origin !== url.origin) return true
  const site = textOf(headers['sec-fetch-site'])
  if (site === '' || site === 'same-origin' || site === 'none') return false
  // A link to the viewer may stand anywhere; it opens a page of its own, which nobody else reads.
  const isLink =
    headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !isLink
}

function findToken(
  { token, cookieName }: GateRules,
  { headers }: RequestHead,
  url: URL,
): 'url' | 'header' | 'cookie' | undefined {
  const inUrl = url.searchParams.get('token')
  if (inUrl !== null) return isSameSecret(inUrl, token) ? 'url' : undefined
  const [, bearer] = /^Bearer (\S+)$/i.exec(textOf(headers['authorization'])) ?? []
  if (bearer !== undefined) return isSameSecret(bearer, token) ? 'header' : undefined
  const cookie = readCookie(textOf(headers['cookie']), cookieName)
  return cookie !== undefined && isSameSecret(cookie, token) ? 'cookie' : undefined
}

function readCookie(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}
