/** Worker processes of a test, their ledger, and the database they share. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createEngine, type Engine } from 'stele'
import { createRandom } from '../../src/base/random.ts'
import { systemClock, systemScheduler } from '../../src/base/time.ts'
import { createNotifications } from '../../src/storage/notifications.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { createStorage, type Storage } from '../../src/storage/storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'

const program = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** Something that an activity did. */
export interface LedgerLine {
  readonly kind: 'begin' | 'end'
  readonly executionId: string
  readonly attempt: number
  readonly pid: number
}

/** A worker process that polls. */
export interface Worker {
  readonly pid: number
  /** SIGKILL: no handler, no flush, no goodbye. Resolves when the process is gone. */
  readonly kill: () => Promise<void>
}

/** The surroundings of a crash test. Disposing kills the workers that are left. */
export interface CrashSite extends AsyncDisposable {
  /** A client of the same database, in this process. */
  readonly client: Engine
  readonly startWorker: () => Promise<Worker>
  readonly ledger: () => readonly LedgerLine[]
  /** The database, to be looked at. */
  readonly openStorage: () => Promise<Storage>
}

/** A new database, and nobody who works on it. */
export async function openCrashSite(): Promise<CrashSite> {
  const folder = temporaryDirectory()
  const file = folder.file('crash.db')
  const ledgerFile = folder.file('ledger.jsonl')
  const workers = new Set<Worker>()
  const client = await createEngine({ storage: file, logger: false })
  return {
    client,
    startWorker: async () => {
      const child = spawn(process.execPath, [program, file, ledgerFile], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const worker = workerOf(child, () => workers.delete(worker))
      workers.add(worker)
      await Promise.race([once(child.stdout, 'data'), failWhenGone(child)])
      return worker
    },
    ledger: () => readLedger(ledgerFile),
    openStorage: async () => {
      const scheduler = systemScheduler
      const environment = { clock: systemClock, scheduler, random: createRandom(1) }
      const driver = await openSqlite({ file }, environment)
      const { hasForeignChanges } = driver
      return createStorage(driver, createNotifications({ scheduler, hasForeignChanges }))
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...workers].map((worker) => worker.kill()))
      await client.stop()
      folder[Symbol.dispose]()
    },
  }
}

function workerOf(child: ChildProcess, onGone: () => void): Worker {
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      onGone()
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function failWhenGone(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error('the worker did not start; is the package built?')
}

function readLedger(file: string): readonly LedgerLine[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  // A process may die in the middle of a line.
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as LedgerLine)
}

/** Waits until it holds, by the wall clock: the processes live there. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  limit = 20_000,
): Promise<void> {
  const end = Date.now() + limit
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${limit} ms`)
    await pause(10)
  }
}

/** A pause of real time. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
