import { expect, test } from 'vitest'
import { statelyPage, viewerPage } from '../../../../src/inspector/server/page.ts'

const scripts = (page: string): readonly string[] => page.match(/<script[^>]*>/g) ?? []

test.each([
  ['the viewer', viewerPage({ nonce: 'n0nce' })],
  ['the bridge', statelyPage({ nonce: 'n0nce' })],
])('%s marks every script as its own, and writes none into the page', (_, page) => {
  expect(scripts(page).length).toBeGreaterThan(0)
  for (const script of scripts(page)) expect(script).toMatch(/nonce="n0nce"/)
  for (const script of scripts(page)) expect(script).toMatch(/src="\/|type="importmap"/)
})

test('neither names another host: the script of the bridge opens the frame when it listens', () => {
  expect(viewerPage({ nonce: 'n' })).not.toMatch(/https?:/)
  expect(statelyPage({ nonce: 'n' })).not.toMatch(/https?:/)
})
