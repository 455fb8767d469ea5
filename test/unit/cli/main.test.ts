/** The program itself: its process, its streams. */
import process from 'node:process'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

async function runMain(...args: readonly string[]): Promise<{ code: unknown; out: string }> {
  const { exitCode } = process
  const before = process.argv.splice(0, process.argv.length, 'node', 'stele', ...args)
  let out = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text)
    return true
  })
  try {
    await import('../../../src/cli/main.ts')
    return { code: process.exitCode, out }
  } finally {
    process.argv.splice(0, process.argv.length, ...before)
    process.exitCode = exitCode
  }
}

test('the version is that of the package', async () => {
  expect(await runMain('--version')).toEqual({
    code: 0,
    out: expect.stringMatching(/^(?:\d+\.\d+\.\d+\S*|unknown)\n$/),
  })
})
