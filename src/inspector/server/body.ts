/** Reads the body of a request, up to a limit and no further. */

import type { IncomingMessage } from 'node:http'

/** Bytes of a body. */
export const bodyMax = 256 * 1024

/** The body as text; `undefined` when it is too large. Rejects when the request breaks off. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const part: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += part.length
    if (size > bodyMax) return undefined
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}
