/** The demo does what it says: work survives a kill, and no money is taken twice. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const top = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'stele-demo-test-'))
const escape = '\u001B'

async function demo(env: Readonly<Record<string, string>>): Promise<string> {
  const program = join(folder, 'examples/demo/main.js')
  const { stdout } = await execute(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, FORCE_COLOR: '', ...env },
  })
  return stdout
}

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(top, join(folder, 'node_modules/stele'), 'dir')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsc = join(top, 'node_modules/.bin/tsc')
  await execute(tsc, ['-p', 'docs', '--outDir', folder], { cwd: top })
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('demo', () => {
  test.concurrent('every order finishes, in spite of the kill', async () => {
    const output = await demo({ COLUMNS: '100' })
    expect(output).toMatch(/kill -9 \d+, in the middle of \d+ runs/)
    expect(output).toMatch(/^executions {6}36 .*, 0 not finished$/m)
    expect(output).toMatch(/^takeovers +[1-9]/m)
    expect(output).toMatch(/^charges +14 +distinct keys; /m)
    expect(output).toMatch(/^ +\d\.\d s {2}\d+ of 36 finished/m)
  })

  test.concurrent.each([80, 100, 140])('the picture fits %s columns', async (columns) => {
    const output = await demo({ COLUMNS: String(columns), NO_COLOR: '1' })
    const picture = output.slice(output.indexOf('\norder '), output.indexOf('\ndatabase '))
    const lines = picture.trim().split('\n')
    expect(lines.filter((line) => /^order-\d+ /.test(line)).length).toBe(36)
    expect(lines.filter((line) => line.length > columns)).toEqual([])
    expect(output).not.toContain(escape)
  })
})
