import { expect, test } from 'vitest'
import { statelyHost, statelyPage, viewerPage } from '../../../../src/inspector/server/page.ts'

const scripts = (page: string): readonly string[] => page.match(/<script[^>]*>/g) ?? []

test.each([
  ['the viewer', viewerPage({ nonce: 'n0nce' })],
  ['the bridge', statelyPage({ nonce: 'n0nce' })],
])('%s marks every script as its own, and writes none into the page', (_, page) => {
  expect(scripts(page).length).toBeGreaterThan(0)
  for (const script of scripts(page)) expect(script).toMatch(/nonce="n0nce"/)
  for (const script of scripts(page)) expect(script).toMatch(/src="\/|type="importmap"/)
})

test('the viewer names no other host', () => {
  expect(viewerPage({ nonce: 'n' })).not.toMatch(/https?:/)
})

test('the bridge frames the hosted inspector and nothing else', () => {
  expect(statelyPage({ nonce: 'n' }).match(/https:[^"]*/g)).toEqual([`${statelyHost}/inspect`])
})
