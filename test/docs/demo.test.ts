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
  test.concurrent('every order ends, in spite of the kill, and the ledger agrees', async () => {
    const output = await demo({ COLUMNS: '100' })
    expect(output).toMatch(/kill -9 \d+, in the middle of \d+ runs, while \d+ workflows wait/)
    expect(output).toMatch(
      /^orders {10}24 {2}16 ok, 7 err, 1 failed or cancelled, 0 not finished$/m,
    )
    expect(output).toMatch(/^takeovers +[1-9]/m)
    // Not the one that was declined, nor those that nobody approved, nor that of the bank down.
    expect(output).toMatch(/^charges +20 +distinct keys; /m)
    expect(output).toMatch(/^refunds +4 +distinct keys; /m)
    expect(output).toMatch(/^ +\d\.\d s {2}\d+ of 24 orders finished/m)
  })

  test.concurrent.each([80, 100, 140])('the pictures fit %s columns', async (columns) => {
    const output = await demo({ COLUMNS: String(columns), NO_COLOR: '1' })
    const picture = output.slice(output.indexOf('\nexecution '), output.indexOf('\norders '))
    const lines = picture.trim().split('\n')
    const [overview = ''] = picture.split('\n\n')
    expect(overview.match(/^checkout order-\d+ /gm)).toHaveLength(24)
    // The one of all orders, and one or two with their children.
    expect(lines.filter((line) => line.startsWith('execution ')).length).toBeGreaterThan(1)
    expect(lines.filter((line) => line.length > columns)).toEqual([])
    expect(output).not.toContain(escape)
  })
})
