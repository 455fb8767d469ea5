/** Another package that installs ours: packed, unpacked, and used from a folder of its own. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const top = fileURLToPath(new URL('../..', import.meta.url))
const program = fileURLToPath(new URL('consumer', import.meta.url))
const execute = promisify(execFile)

/** What became of a command. */
interface Ran {
  readonly code: number
  readonly output: string
}

/** The folder of the other package. */
export interface Consumer extends AsyncDisposable {
  /** The packed tarball. */
  readonly tarball: string
  /** Where the package lies, as installed. */
  readonly installed: string
  /** Paths in the tarball. */
  readonly files: readonly string[]
  /** Runs Node in the folder. */
  readonly node: (...args: readonly string[]) => Promise<Ran>
  /** Runs a tool of this repository in the folder. */
  readonly tool: (name: string, ...args: readonly string[]) => Promise<Ran>
}

/** Packs what was built, and installs it. Only what the package depends on can be imported. */
export async function openConsumer(): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'stele-consumer-'))
  await cp(program, folder, { recursive: true })
  const { tarball, files } = await pack(folder)
  const installed = join(folder, 'node_modules', 'stele')
  await mkdir(installed, { recursive: true })
  await execute('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  await linkDependencies(folder)
  return {
    tarball,
    installed,
    files,
    node: async (...args) => await run(process.execPath, args, folder),
    tool: async (name, ...args) => await run(join(top, 'node_modules/.bin', name), args, folder),
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function pack(folder: string): Promise<{ tarball: string; files: string[] }> {
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await execute('npm', ['pack', ...options], { cwd: top })
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

/** Compiling a native module again would take a minute: its build in this repository is lent. */
async function linkDependencies(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(top, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(top, 'node_modules', name), link, 'dir')
  }
}

async function run(command: string, args: readonly string[], cwd: string): Promise<Ran> {
  try {
    const { stdout, stderr } = await execute(command, [...args], { cwd })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}
