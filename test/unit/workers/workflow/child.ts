/** Runs programs that use the guard, each in a process of its own: some of them end it. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const top = fileURLToPath(new URL('../../../..', import.meta.url))

/** How a program ended, and what it wrote. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder with the guard, compiled. */
export interface Children extends AsyncDisposable {
  /** Runs a module that finds `workflowGuard` in `./src/workers/workflow/guard.js`. */
  readonly run: (program: string, ...nodeOptions: readonly string[]) => Promise<Ended>
}

/** Compiles the guard with what it imports. */
export async function openChildren(): Promise<Children> {
  const folder = await mkdtemp(join(tmpdir(), 'stele-guard-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const settings = [
    '--ignoreConfig --noCheck --module nodenext --target es2023 --types node',
    '--rewriteRelativeImportExtensions --rootDir . --outDir',
  ].flatMap((words) => words.split(' '))
  await promisify(execFile)(
    join(top, 'node_modules/.bin/tsc'),
    [...settings, folder, 'src/workers/workflow/guard.ts'],
    { cwd: top },
  )
  let programs = 0
  return {
    run: async (program, ...nodeOptions) => {
      programs += 1
      const file = join(folder, `program-${programs}.mjs`)
      await writeFile(file, program)
      return await execute([...nodeOptions, file])
    },
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true })
    },
  }
}

function execute(words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    // The options of the process that runs the tests are not those of the program.
    const env = { PATH: process.env['PATH'] }
    execFile(process.execPath, [...words], { env, timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}
