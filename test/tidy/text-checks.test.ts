import { expect, test } from 'vitest'
import { machinePaths, registryHosts } from './text-checks.ts'

const host = 'regis' + 'try.example.com'
const site = 'www.npm' + 'js.com'
const folder = '/ho' + 'me/ann/app.db'

test.each([host, `https://${host}/stele`, site])('catches the host %j', (text) => {
  expect(registryHosts({ path: 'docs/a.md', text })).toHaveLength(1)
})

test.each(['npm install stele', 'storage/registry.test.ts'])('names no host: %j', (text) => {
  expect(registryHosts({ path: 'docs/a.md', text })).toEqual([])
})

test('catches a path of one machine', () => {
  expect(machinePaths({ path: 'docs/a.md', text: folder })).toHaveLength(1)
})

test('a path within the repository is no path of one machine', () => {
  expect(machinePaths({ path: 'docs/a.md', text: 'src/workers/activity' })).toEqual([])
})
