/** `stele machine`: lists and pictures. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../test-cli.ts'

const file = fileURLToPath(new URL('../../../../machines/executor.ts', import.meta.url))

test('ls: those of the engine', async () => {
  expect(await run(['machine', 'ls'])).toEqual({
    code: 0,
    out: 'execution\nexecutor\nlocked-execution\ntimers-watcher\n',
    err: '',
  })
})

test('export: Mermaid, unless told otherwise', async () => {
  const { code, out } = await run(['machine', 'export', 'execution'])
  expect(code).toBe(0)
  expect(out).toMatch(/^stateDiagram-v2\n/)
})

test('export: SVG', async () => {
  const { out } = await run(['machine', 'export', file, '--format', 'svg'])
  expect(out).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
})

test('export: a program for the Studio, and what it could not take along', async () => {
  const { out, err } = await run(['machine', 'export', 'executor', '--format', 'json'])
  expect(out).toMatch(/^import \{ createMachine \} from 'xstate'/)
  expect(err).toMatch(/^Functions are only names in this text: |^$/)
})

test('export: a name that nobody knows is exit code 3', async () => {
  const { code, err } = await run(['machine', 'export', file, 'zzz'])
  expect(code).toBe(3)
  expect(err).toContain('has no machine "zzz"')
})

test('machine alone explains itself', async () => {
  const { code, err } = await run(['machine'])
  expect(code).toBe(2)
  expect(err).toContain('Usage: stele machine')
})
