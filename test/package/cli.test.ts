/** The command `stele` as a process. Needs a build. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createEngine, defineActivity } from 'stele'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../support/storage/temporary-directory.ts'

const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))
const execute = promisify(execFile)
const double = defineActivity({ name: 'double' }, (value: number) => value * 2)

let directory: TemporaryDirectory
let file: string

beforeAll(async () => {
  directory = temporaryDirectory()
  file = directory.file('app.db')
  await using engine = await createEngine({ storage: file, functions: [double], logger: false })
  await engine.start()
  const inputs = Array.from({ length: 3_000 }, (_, index) => index)
  const ids = inputs.map((index) => `double-${index}`)
  const handles = await engine.submitMany(double, inputs, { ids })
  await handles.at(0)?.result()
})

afterAll(() => {
  directory[Symbol.dispose]()
})

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function stele(...args: readonly string[]): Promise<Ran> {
  try {
    return { code: 0, ...(await execute(process.execPath, [program, ...args])) }
  } catch (error) {
    return error as Ran
  }
}

function shell(line: string): Promise<{ readonly stdout: string }> {
  return execute('sh', ['-c', line], { env: { ...process.env, STELE: program, DB: file } })
}

test('prints its version, that of the package', async () => {
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default
  expect(await stele('--version')).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('the exit code says what went wrong', async () => {
  expect((await stele('show', file, 'nobody')).code).toBe(3)
  expect((await stele('show')).code).toBe(2)
  expect((await stele('ls', `${file}.nope`)).code).toBe(4)
})

test('a reader that ends early is no failure, and nothing is said about it', async () => {
  const ls = spawn(process.execPath, [program, 'ls', file, '--limit', '3000'])
  const closed = once(ls, 'close')
  let said = ''
  ls.stderr.on('data', (data: Buffer) => {
    said += data.toString()
  })
  await once(ls.stdout, 'data')
  ls.stdout.destroy()
  expect({ code: (await closed)[0] as number, said }).toEqual({ code: 0, said: '' })
})

test('tail follows another process, and ends in good order when it is interrupted', async () => {
  await stele('submit', file, 'double', '--input', '4', '--id', 'late', '--delay', '1 day')
  const tail = spawn(process.execPath, [program, 'tail', file, 'late', '--json'])
  await untilSeen(tail, '"type":"created"')
  await stele('pause', file, 'late')
  await untilSeen(tail, '"type":"paused"')
  tail.kill('SIGINT')
  const [code, signal] = await once(tail, 'close')
  expect({ code: code as number, signal: signal as unknown }).toEqual({ code: 0, signal: null })
})

function untilSeen({ stdout }: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    let output = ''
    stdout?.on('data', (data: Buffer) => {
      output += data.toString()
      if (output.includes(text)) resolve()
    })
  })
}

test('JSON comes in on the standard input', async () => {
  const line = `printf 21 | node "$STELE" submit "$DB" double --input - --id piped --json`
  const { stdout } = await shell(line)
  expect(JSON.parse(stdout)).toEqual({
    id: 'piped',
    function: { kind: 'activity', name: 'double', version: '1' },
  })
})

test('doctor reads a database that an engine works on', async () => {
  await using engine = await createEngine({ storage: file, functions: [double], logger: false })
  await engine.start()
  const { code, stdout } = await stele('doctor', file)
  expect(stdout).toContain('alive')
  expect(code).toBe(0)
})
