/** Processes that a test drives, their ledger, and the folder they share. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Explanation, Outcome, StateView } from 'stele'
import { createRandom } from '../../src/base/random.ts'
import { systemClock, systemScheduler } from '../../src/base/time.ts'
import { createNotifications } from '../../src/storage/notifications.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { createStorage, type Storage } from '../../src/storage/storage.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'

const program = fileURLToPath(new URL('puppet.mjs', import.meta.url))

/** Something that a function did. */
export interface Deed {
  readonly kind: 'begin' | 'end' | 'abort' | 'fired'
  readonly executionId: string
  readonly attempt: number
  readonly pid: number
  readonly at: number
  /** Milliseconds since it was submitted, where that is measured. */
  readonly delay?: number
  /** The code of the error that the signal was aborted with. */
  readonly code?: string
}

/** A line that the engine of a process logged. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly code?: string
}

/** What a process did in a crowd. */
export interface Traffic {
  /** Executions whose submission was acknowledged. */
  readonly ids: readonly string[]
  /** When another process was to stop a run. */
  readonly cancels: readonly { readonly id: string; readonly at: number }[]
  readonly errors: readonly string[]
}

/** What a process can be asked to do, and what it answers. */
export interface Commands {
  readonly open: (options?: object) => undefined
  readonly start: () => undefined
  readonly stop: (options?: object) => undefined
  readonly submit: (name: string, input?: unknown, options?: object) => string
  readonly submitMany: (name: string, inputs: readonly unknown[]) => readonly string[]
  readonly send: (id: string, payload: unknown) => undefined
  readonly cancel: (id: string) => string
  readonly outcome: (id: string, options?: object) => Outcome
  readonly state: (id: string) => StateView
  readonly explain: (id: string) => Explanation
  readonly types: (id: string) => readonly string[]
  readonly count: (query?: object) => number
  readonly traffic: (options: object) => Traffic
  readonly log: () => readonly LogLine[]
  readonly uncaught: () => readonly string[]
  readonly longestBlock: () => number
  readonly forgetBlocks: () => undefined
  readonly leave: () => undefined
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A process under the hand of a test. */
export interface Puppet {
  readonly pid: number
  /** Rejects with an error that has the `code` of the one in the process. */
  readonly ask: <Name extends keyof Commands>(
    command: Name,
    ...args: Parameters<Commands[Name]>
  ) => Promise<ReturnType<Commands[Name]>>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly kill: () => Promise<void>
  readonly gone: Promise<Exit>
}

/** What is special about a process. */
export interface PuppetOptions {
  /** Tells it apart, in the names of its own functions. */
  readonly name?: string
  readonly uid?: number
  /** The longest file it may write, in blocks of 512 bytes; can be lifted. */
  readonly fileBlocks?: number
  /** The database; default: that of the stage. */
  readonly file?: string
}

/** Where processes play. Disposing kills those that are left. */
export interface Stage extends AsyncDisposable {
  readonly file: string
  readonly path: string
  readonly enter: (options?: PuppetOptions) => Promise<Puppet>
  readonly ledger: () => readonly Deed[]
  /** Checks every log and row of the database. */
  readonly check: (file?: string) => Promise<void>
}

/** A new folder, and nobody in it. */
export function openStage(): Stage {
  const folder = temporaryDirectory()
  const file = folder.file('stage.db')
  const ledgerFile = folder.file('ledger.jsonl')
  const puppets = new Set<Puppet>()
  return {
    file,
    path: folder.path,
    enter: async (options = {}) => {
      const args = [program, options.file ?? file, ledgerFile, options.name ?? 'x']
      const puppet = puppetOf(start(args, options))
      puppets.add(puppet)
      void puppet.gone.then(() => puppets.delete(puppet))
      await puppet.ready
      return puppet
    },
    ledger: () => readLedger(ledgerFile),
    check: async (checked = file) => {
      const storage = await openStorage(checked)
      await checkInvariants(storage)
      await storage.close()
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...puppets].map((puppet) => puppet.kill()))
      folder[Symbol.dispose]()
    },
  }
}

function start(args: readonly string[], { uid, fileBlocks }: PuppetOptions): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const options = { stdio: [...stdio], ...(uid === undefined ? {} : { uid, gid: uid }) }
  if (fileBlocks === undefined) return spawn(process.execPath, args, options)
  const shell = `ulimit -S -f ${fileBlocks}; exec "$0" "$@"`
  return spawn('/bin/sh', ['-c', shell, process.execPath, ...args], options)
}

interface Answer {
  readonly call: number
  readonly value?: unknown
  readonly error?: { readonly code?: string; readonly message: string }
}

interface Caller {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

function puppetOf(child: ChildProcess): Puppet & { readonly ready: Promise<unknown> } {
  const callers = new Map<number, Caller>()
  let calls = 0
  const expectAnswer = (call: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      callers.set(call, { resolve, reject })
    })
  const ready = expectAnswer(0)
  child.on('message', (message) => {
    const { call, value, error } = message as Answer
    const caller = callers.get(call)
    callers.delete(call)
    if (error === undefined) caller?.resolve(value)
    else caller?.reject(Object.assign(new Error(error.message), { code: error.code }))
  })
  const gone = once(child, 'exit').then(([code, signal]: unknown[]): Exit => {
    for (const { reject } of callers.values()) reject(new Error('the process is gone'))
    return { code: code as number | null, signal: signal as string | null }
  })
  return {
    ready,
    pid: child.pid ?? 0,
    ask: (command, ...args) => {
      calls += 1
      const answer = expectAnswer(calls)
      child.send({ call: calls, command, args })
      return answer as Promise<never>
    },
    signal: (signal) => child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    gone,
  }
}

/** A database, to be looked at. */
export async function openStorage(file: string): Promise<Storage> {
  const scheduler = systemScheduler
  const environment = { clock: systemClock, scheduler, random: createRandom(1) }
  const driver = await openSqlite({ file }, environment)
  const { hasForeignChanges } = driver
  return createStorage(driver, createNotifications({ scheduler, hasForeignChanges }))
}

function readLedger(file: string): readonly Deed[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  // A process may die in the middle of a line.
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Deed)
}

/** A figure below which so many parts of all values lie; 0 when there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** Values as one line for a person. */
export function showSpread(values: readonly number[]): string {
  const [p50, p95, max] = [0.5, 0.95, 1].map((part) => Math.round(percentile(values, part)))
  return `p50 ${p50} ms, p95 ${p95} ms, max ${max} ms of ${values.length}`
}
