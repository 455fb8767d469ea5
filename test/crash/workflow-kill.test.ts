/**
 * A workflow with every call of the context, in a process that dies at its n-th commit, before it
 * or after it; another takes over. `STELE_KILL_ALL=1` tries every commit, else some of them.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { systemClock, systemScheduler } from '../../src/base/time.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import type { ExecutionId } from '../../src/model/ids.ts'
import { createNotifications } from '../../src/storage/notifications.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { createStorage, type Storage } from '../../src/storage/storage.ts'
import { checkInvariants, listAllStates } from '../support/storage/check-invariants.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { lastingLog } from '../support/workflow-log.ts'
import { type Recorded, readRecorded } from '../support/workflow-replay.ts'

const program = fileURLToPath(new URL('workflow-worker.mjs', import.meta.url))
const triesAll = process.env['STELE_KILL_ALL'] !== undefined
/** Every so many commits; a prime, so that both passes meet all kinds of them in the end. */
const stride = triesAll ? 1 : 13
const commitsMax = 400
/** Lives side by side. */
const width = 2

interface LedgerLine {
  readonly kind: 'activity' | 'step'
  readonly key: string
  readonly attempt: number
}

interface Life {
  readonly logs: ReadonlyMap<string, unknown>
  readonly recorded: readonly Recorded[]
  readonly ledger: readonly LedgerLine[]
  readonly wasKilled: boolean
}

type When = 'before' | 'after'

it('kill: whichever commit a process dies at, log and outcome are the same', {
  timeout: triesAll ? 900_000 : 120_000,
}, async () => {
  const whole = await live(0, 'after')
  expect(whole.wasKilled).toBe(false)
  checkLedger(whole)
  const keys = keysOf(whole)
  let isOver = false
  const points = pointsOf()
  const work = async (): Promise<void> => {
    for (const [commit, when] of points) {
      if (isOver) return
      const life = await live(commit, when)
      if (!life.wasKilled) isOver = true
      const place = `killed ${when} commit ${commit}`
      expect(Object.fromEntries(life.logs), place).toEqual(Object.fromEntries(whole.logs))
      expect(keysOf(life), place).toEqual(keys)
      checkLedger(life, place)
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  expect(isOver, 'one got through').toBe(true)
})

function* pointsOf(): Generator<readonly [number, When]> {
  for (let commit = 1; commit < commitsMax; commit += stride) {
    yield [commit, 'after']
    yield [commit + Math.floor(stride / 2), 'before']
  }
}

/** One execution, from the first process to the one that lives. */
async function live(commit: number, when: When): Promise<Life> {
  using folder = temporaryDirectory()
  const file = folder.file('kill.db')
  const ledgerFile = folder.file('ledger.jsonl')
  const wasKilled = commit > 0 && (await runProcess([file, ledgerFile, `${commit}`, when]))
  const needsAnother = wasKilled || commit === 0
  const isKilledAgain = needsAnother && (await runProcess([file, ledgerFile, '0', when]))
  expect(isKilledAgain).toBe(false)
  const storage = await openStorage(file)
  await untilIdle(storage)
  await checkInvariants(storage)
  const recorded: Recorded[] = []
  for (const { executionId } of await listAllStates(storage)) {
    recorded.push(await readRecorded(storage, executionId as ExecutionId))
  }
  await storage.close()
  const logs = new Map(recorded.map((entry) => [nameOf(entry.executionId), lastingLog(entry)]))
  return { logs, recorded, ledger: readLedger(ledgerFile), wasKilled }
}

/** Runs a process to its end; whether it was killed. */
async function runProcess(args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (signal === 'SIGKILL') return true
  expect(code).toBe(0)
  return false
}

async function openStorage(file: string): Promise<Storage> {
  const scheduler = systemScheduler
  const driver = await openSqlite(
    { file },
    { clock: systemClock, scheduler, random: createRandom(1) },
  )
  const { hasForeignChanges } = driver
  return createStorage(driver, createNotifications({ scheduler, hasForeignChanges }))
}

/** The process ends with the workflow; what it scheduled may not have begun. */
async function untilIdle(storage: Storage): Promise<void> {
  const states = await listAllStates(storage)
  const open = states.filter(
    ({ status, executionId }) => status !== 'finished' && !executionId.startsWith('E_'),
  )
  expect(open).toEqual([])
}

/** The id of what was scheduled holds an instant. */
function nameOf(id: string): string {
  return id.startsWith('E_') ? 'scheduled' : id
}

function readLedger(file: string): readonly LedgerLine[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as LedgerLine)
}

/** Keys of the effects of everything that has to happen. */
function keysOf({ ledger }: Life): readonly string[] {
  const keys = new Set(ledger.map(({ kind, key }) => `${kind} ${key}`))
  return [...keys].filter((key) => !key.includes(' E_')).toSorted()
}

/** Each attempt is in the log, or was lost with its process. */
function checkLedger({ ledger, recorded, wasKilled }: Life, place = 'whole'): void {
  const attempts = new Map<string, number>()
  for (const { kind, key } of ledger) {
    const name = `${kind} ${key}`
    attempts.set(name, (attempts.get(name) ?? 0) + 1)
  }
  for (const [name, { known, lost }] of knownAttempts(recorded)) {
    const made = attempts.get(name) ?? 0
    expect(made, `${place}: ${name}`).toBeGreaterThanOrEqual(known)
    expect(made, `${place}: ${name}`).toBeLessThanOrEqual(known + lost + (wasKilled ? 1 : 0))
    attempts.delete(name)
  }
  const others = [...attempts.keys()].filter((name) => !name.includes(' E_'))
  expect(others, `${place}: attempts that the log does not know`).toEqual([])
}

interface Known {
  known: number
  lost: number
}

function knownAttempts(recorded: readonly Recorded[]): ReadonlyMap<string, Known> {
  const attempts = new Map<string, Known>()
  const add = (name: string, what: keyof Known): void => {
    const entry = attempts.get(name) ?? { known: 0, lost: 0 }
    entry[what] += 1
    attempts.set(name, entry)
  }
  for (const { executionId, events } of recorded) {
    for (const { event } of events) {
      const isStep = event.type === 'step_finished' || event.type === 'step_failed'
      if (isStep) add(`step ${executionId}/${event.seq}`, 'known')
    }
    const what = isActivity(events) ? events.map(({ event }) => endOf(event)) : []
    for (const end of what) if (end !== undefined) add(`activity ${executionId}`, end)
  }
  return attempts
}

function isActivity([first]: Recorded['events']): boolean {
  return first?.event.type === 'created' && first.event.function.kind === 'activity'
}

/** What an event says of an attempt of an activity. */
function endOf({ type }: ExecutionEvent): keyof Known | undefined {
  if (type === 'temporarily_failed' || type === 'finished') return 'known'
  return type === 'temporarily_timed_out' ? 'lost' : undefined
}
