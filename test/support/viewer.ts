/** A viewer in a test, and requests to it as no browser would make them. */

import { type IncomingHttpHeaders, request } from 'node:http'
import { openViewer, type Viewer } from '../../src/inspector/server/open-viewer.ts'
import type { ViewerOptions } from '../../src/inspector/server/viewer-options.ts'

/** The token of every viewer in a test. */
export const testToken = 'the-token-of-the-tests'

/** A viewer with the token of the tests. */
export function openTestViewer(options: ViewerOptions): Promise<Viewer> {
  return openViewer({ token: testToken, ...options })
}

/** A request; without a token of its own it carries the right one. */
export interface TestRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Default true. */
  readonly withToken?: boolean
}

/** An answer. */
export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON. */
  readonly json: () => unknown
}

/** Asks a viewer. The path goes out as it is: no library tidies it up first. */
export function askViewer(
  { port }: Pick<Viewer, 'port'>,
  path: string,
  options: TestRequest = {},
): Promise<TestResponse> {
  const { method = 'GET', headers = {}, body, withToken = true } = options
  const credentials = withToken ? { authorization: `Bearer ${testToken}` } : {}
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        headers: { ...credentials, ...length, ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, headers: found } = response
          resolve({ status, headers: found, text, json: () => JSON.parse(text) as unknown })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Does something to an execution. */
export function actOn(
  viewer: Pick<Viewer, 'port'>,
  name: string,
  body: object,
): Promise<TestResponse> {
  const headers = { 'content-type': 'application/json' }
  return askViewer(viewer, `/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
}
