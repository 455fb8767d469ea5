/** `stele sim repro`: a failure that was kept, step by step. */

import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'
import { type Said, testWorld } from '../test-cli.ts'

let directory: TemporaryDirectory

/** A scenario that fails for one choice; written by hand, since a module must need no package. */
const module = `
export const fragile = {
  options: { functions: [] },
  scenario: async (w) => {
    await w.advance('1s')
    w.check('nothing breaks', w.choose('break', 3) !== 2, 'it broke')
  },
}
export const other = { options: { functions: [] }, scenario: () => undefined }
`

const repro = (tape: readonly number[]): string =>
  JSON.stringify({
    format: 1,
    invariant: 'nothing breaks',
    message: '',
    seed: 1,
    tapes: { 'scenario-break': tape },
    traceHash: '',
    optionsHash: '',
  })

beforeAll(() => {
  directory = temporaryDirectory()
  writeFileSync(directory.file('sims.mjs'), module)
  writeFileSync(directory.file('fails.json'), repro([2]))
  writeFileSync(directory.file('passes.json'), repro([1]))
  writeFileSync(directory.file('other.json'), '{}')
})

afterAll(() => {
  directory[Symbol.dispose]()
})

async function stele(...args: readonly string[]): Promise<Said> {
  const world = testWorld()
  const code = await runCli(args, world, '0.0.0')
  return { code, ...world.said() }
}

function sim(file: string, ...args: readonly string[]): Promise<Said> {
  const files = [directory.file(file), directory.file('sims.mjs')]
  return stele('sim', 'repro', ...files, '--export', 'fragile', ...args)
}

test('fails again, with the trace and the reason', async () => {
  const { code, out } = await sim('fails.json')
  expect(code).toBe(1)
  expect(out).toMatch(/^ +0ms #\d+ +client +> waits 1s$/m)
  expect(out).toMatch(/^It fails at step \d+: nothing breaks\nnothing breaks: it broke$/m)
})

test('says when it no longer fails', async () => {
  const { code, out } = await sim('passes.json')
  expect(code).toBe(0)
  expect(out).toContain('It does not fail any more.')
})

test('--until ends the trace at a step', async () => {
  const { out } = await sim('fails.json', '--until', '0')
  expect(out).not.toContain('waits 1s')
})

test('--diagram draws it', async () => {
  const { out } = await sim('fails.json', '--diagram')
  expect(out).toMatch(/^sequenceDiagram$/m)
})

test('refuses a file that is no repro, a file that is not there, and a choice of several', async () => {
  expect(await sim('other.json')).toMatchObject({ code: 2 })
  expect((await sim('nowhere.json')).err).toContain('cannot be read')
  const files = [directory.file('fails.json'), directory.file('sims.mjs')]
  const { code, err } = await stele('sim', 'repro', ...files)
  expect(code).toBe(2)
  expect(err).toContain('exports fragile, other')
})
