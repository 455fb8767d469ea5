/** A folder of somebody who uses the package as it was built, for programs that pages show. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { normalised } from './page.ts'

const top = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

const settings = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    rewriteRelativeImportExtensions: true,
    noEmitOnError: true,
    // The declarations of the package are compared by the tests of the package.
    skipLibCheck: true,
  },
}

/** How long a program in the background may take to print what it should. */
const patience = 20_000

/** A folder in which a page is carried out. */
export interface Project extends AsyncDisposable {
  readonly folder: string
  readonly write: (name: string, text: string) => Promise<void>
  /** Carries out a command of a console, and gives what it printed. */
  readonly command: (text: string, expected: string) => Promise<string>
}

/** An empty folder with the package installed. */
export async function openProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'stele-page-'))
  await install(folder, 'stele', top)
  for (const name of ['@types/node', '@statelyai/inspect', 'xstate']) {
    await install(folder, name, join(top, 'node_modules', name))
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const background: Program[] = []
  let isCompiled = false
  return {
    folder,
    write: async (name, text) => {
      await writeFile(join(folder, name), text)
      isCompiled = false
    },
    command: async (text, expected) => {
      if (!isCompiled) await compile(folder)
      isCompiled = true
      return await carryOut(text, { folder, expected, background })
    },
    [Symbol.asyncDispose]: async () => {
      for (const program of background) await program.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function install(folder: string, name: string, source: string): Promise<void> {
  const link = join(folder, 'node_modules', name)
  await mkdir(dirname(link), { recursive: true })
  await symlink(source, link, 'dir')
}

async function compile(folder: string): Promise<void> {
  try {
    await execute(join(top, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder })
  } catch (cause) {
    const { stdout } = cause as { readonly stdout: string }
    throw new TypeError(`The program of the page does not compile:\n${stdout}`, { cause })
  }
}

/** A program that was started here, and may be ended here. */
interface Program {
  /** What it has printed since it was asked last. */
  readonly take: () => string
  readonly peek: () => string
  readonly gone: Promise<NodeJS.Signals | null>
  readonly end: (signal: NodeJS.Signals) => Promise<void>
}

interface Surroundings {
  readonly folder: string
  readonly expected: string
  readonly background: Program[]
}

const signals: Readonly<Record<string, NodeJS.Signals>> = {
  'kill -9 $!': 'SIGKILL',
  'kill $!': 'SIGTERM',
}

async function carryOut(text: string, surroundings: Surroundings): Promise<string> {
  const signal = signals[text]
  if (signal !== undefined) {
    const last = surroundings.background.pop()
    if (last === undefined) throw new TypeError(`Nothing runs in the background: ${text}`)
    await last.end(signal)
    return last.take()
  }
  const [, file, isBackground] = /^node (\S+)\.ts( &)?$/.exec(text) ?? []
  if (file === undefined) throw new TypeError(`No command of these pages: ${text}`)
  const program = start(surroundings.folder, [`${file}.js`])
  if (isBackground !== undefined) return await inBackground(program, surroundings)
  // A shell says so when a program was killed.
  return (await program.gone) === 'SIGKILL' ? `${program.take()}Killed\n` : program.take()
}

/** Leaves it running once it has printed what the page says, or when it never does. */
async function inBackground(program: Program, surroundings: Surroundings): Promise<string> {
  surroundings.background.push(program)
  const expected = normalised(surroundings.expected)
  const deadline = Date.now() + patience
  while (normalised(program.peek()) !== expected && Date.now() < deadline) await sleep(20)
  return program.take()
}

function start(folder: string, args: readonly string[]): Program {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      output += data.toString()
    })
  }
  const gone = once(child, 'close').then(([, signal]) => signal as NodeJS.Signals | null)
  return {
    peek: () => output,
    take: () => {
      const taken = output
      output = ''
      return taken
    },
    gone,
    end: async (signal) => {
      child.kill(signal)
      await gone
    },
  }
}
