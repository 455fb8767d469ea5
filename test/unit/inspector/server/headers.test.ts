import { expect, test } from 'vitest'
import { barePolicy, commonHeaders, pagePolicy } from '../../../../src/inspector/server/headers.ts'

test('nothing is kept, sniffed or framed', () => {
  expect(commonHeaders).toMatchObject({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  })
  expect(barePolicy).toBe("default-src 'none'; frame-ancestors 'none'")
})

test('a page loads its own files, speaks to its own server, and runs no other script', () => {
  const policy = pagePolicy({ nonce: 'n', host: '127.0.0.1:1' })
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self' 'nonce-n'",
      "connect-src 'self' ws://127.0.0.1:1",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  )
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
})

test('only a page that asks for it may frame another, and only that one', () => {
  expect(pagePolicy({ nonce: 'n', host: 'h' })).not.toContain('frame-src')
  const policy = pagePolicy({ nonce: 'n', host: 'h', frame: 'https://stately.ai' })
  expect(policy).toContain('frame-src https://stately.ai')
})
