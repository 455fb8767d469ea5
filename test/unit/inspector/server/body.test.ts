import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { bodyMax, readBody } from '../../../../src/inspector/server/body.ts'

const request = (...chunks: readonly Buffer[]) =>
  Readable.from(chunks) as unknown as IncomingMessage

test('a body is read whole, whatever its pieces', async () => {
  const euro = Buffer.from('€')
  expect(await readBody(request(euro.subarray(0, 1), euro.subarray(1)))).toBe('€')
})

test('a body of the largest size is read, and one byte more is refused', async () => {
  expect((await readBody(request(Buffer.alloc(bodyMax, 'a'))))?.length).toBe(bodyMax)
  const pieces = [Buffer.alloc(bodyMax, 'a'), Buffer.from('a')]
  expect(await readBody(request(...pieces))).toBeUndefined()
})

test('what is too large is not read to its end', async () => {
  let read = 0
  const endless = Readable.from(
    (function* () {
      for (;;) {
        read += 1
        yield Buffer.alloc(bodyMax, 'a')
      }
    })(),
  )
  expect(await readBody(endless as unknown as IncomingMessage)).toBeUndefined()
  expect(read).toBeLessThan(100)
})
