/** The whole check-up of a database: every page, every row, every event, once. Only reads. */

import { isSteleError } from '../../base/error.ts'
import type { ExecutionId } from '../../model/ids.ts'
import {
  countRows,
  listLostLogs,
  listNeverWoken,
  listOverdueDelays,
  type RowCounts,
  walkEvents,
  walkExecutions,
} from '../../storage/checkup.ts'
import { findReport } from '../../storage/read.ts'
import { listExecutors, listFunctions } from '../../storage/registry.ts'
import type { Database } from '../open-database.ts'
import type { Progress } from '../progress.ts'
import type { World } from '../world.ts'
import {
  type Complaints,
  complaintOf,
  createComplaints,
  executionFindings,
  patience,
  type Surroundings,
  secondLook,
} from './check-executions.ts'
import { engineFindings, type FileReport, fileFindings, sizeFindings } from './check-file.ts'
import { createLogCheck } from './check-logs.ts'
import { countOf, examplesMax, type Finding } from './finding.ts'

/** What a check-up is made with. */
export interface Examination {
  readonly world: World
  readonly database: Database
  readonly progress: Progress
}

/** What it gives. */
export interface Examined {
  readonly findings: readonly Finding[]
  readonly file: FileReport
  /** Absent where the pages are so broken that nobody counted. */
  readonly counts?: RowCounts
}

/** Rows read at once: the event loop gets its turn in between. */
const pageSize = 5_000
/** Executors looked at: those heard of last. */
const executorsMax = 1_000
/** Executions counted where only their number matters. */
const countedMax = 10_000

/** Examines a database. */
export async function examine(examination: Examination): Promise<Examined> {
  const { world, database } = examination
  const { driver } = database
  const now = world.clock.now()
  const { file, pages } = await examineFile(examination)
  // What stands in pages that are broken says nothing, or cannot be read at all.
  if (pages.some(({ level }) => level === 'problem')) {
    return { file, findings: [...fileFindings(file), ...pages] }
  }
  const counts = await driver.read(() => countRows())
  const executors = await driver.read(() => listExecutors(executorsMax))
  const functions = await driver.read(() => listFunctions())
  const around = { now, executors, functions }
  const executions = await examineExecutions(examination, { around, total: counts.executions })
  const logs = await examineLogs(examination, counts.events)
  const findings = [
    ...fileFindings(file),
    ...pages,
    ...engineFindings(executors, now),
    ...executions,
    ...logs,
    ...sizeFindings(file, counts, now),
  ]
  return { findings, file, counts }
}

async function examineFile({
  world,
  database,
  progress,
}: Examination): Promise<{ readonly file: FileReport; readonly pages: readonly Finding[] }> {
  const { driver, file: path } = database
  const { checkTable, findFileFacts, walBytesOf } = await import('../../storage/sqlite/health.ts')
  const { schemaVersion: knownSchema } = await import('../../storage/sqlite/schema.ts')
  const { tables, ...facts } = await driver.read(() => findFileFacts())
  const problems: string[] = []
  for (const [index, table] of tables.entries()) {
    progress.show(`pages of table ${table}`, index, tables.length)
    const found = driver.read(() => checkTable(table))
    problems.push(...(await found.catch(corruption)))
    await nextTurn(world)
  }
  const file = { ...facts, knownSchema, walBytes: walBytesOf(path) }
  return { file, pages: [pagesFinding(problems)] }
}

/** SQLite gives up where it cannot even go on looking. */
function corruption(cause: unknown): readonly string[] {
  if (isSteleError(cause, 'storage_corrupt')) return [cause.message]
  throw cause
}

function pagesFinding(problems: readonly string[]): Finding {
  if (problems.length === 0) {
    return { level: 'ok', topic: 'pages', summary: 'Every page and every index is sound.' }
  }
  return {
    level: 'problem',
    topic: 'pages',
    summary: `SQLite finds ${countOf(problems.length, 'fault')} in the pages of the file.`,
    examples: problems.slice(0, examplesMax),
    advice:
      'Stop all engines, keep a copy, and restore the file from a backup. ' +
      'Rows, logs and clocks were not examined.',
  }
}

interface Executions {
  readonly around: Surroundings
  readonly total: number
}

/** Executions of which the last event has to be read as well. */
type Doubtful = ReadonlyMap<ExecutionId, 'paused' | 'cancelling'>

async function examineExecutions(
  examination: Examination,
  { around, total }: Executions,
): Promise<readonly Finding[]> {
  const { driver } = examination.database
  const complaints = createComplaints()
  const doubtful = await walkRows(examination, { around, total, complaints })
  for (const [executionId, complaint] of doubtful) {
    const report = await driver.read(() => findReport(executionId))
    if (report === undefined) continue
    const { complaint: found, why } = secondLook(complaint, report.lastEvent, around.now)
    complaints.add(found, `${executionId}: ${why}`)
  }
  const late = {
    neverWoken: await driver.read(() => listNeverWoken(countedMax)),
    delays: await driver.read(() => listOverdueDelays(around.now - patience, countedMax)),
  }
  return executionFindings(complaints, late, around.now)
}

async function walkRows(
  { world, database, progress }: Examination,
  { around, total, complaints }: Executions & { readonly complaints: Complaints },
): Promise<Doubtful> {
  const doubtful = new Map<ExecutionId, 'paused' | 'cancelling'>()
  let done = 0
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    const page = await database.driver.read(() => walkExecutions(from, pageSize))
    for (const item of page.items) {
      const { executionId } = item.state
      const found = complaintOf(item, around)
      if (found === undefined) continue
      const { complaint, why } = found
      if (complaint === 'paused' || complaint === 'cancelling') doubtful.set(executionId, complaint)
      else complaints.add(complaint, `${executionId}: ${why}`)
    }
    for (const { executionId, reason } of page.unreadable) {
      complaints.add('unreadable', `${executionId}: ${reason}`)
    }
    done += page.count
    progress.show('executions', done, total)
    await nextTurn(world)
    after = page.next
  }
  return doubtful
}

async function examineLogs(
  { world, database, progress }: Examination,
  total: number,
): Promise<readonly Finding[]> {
  const { driver } = database
  const check = createLogCheck(world.clock.now())
  let place = { executionId: '', version: -1 }
  let done = 0
  for (;;) {
    const from = place
    const page = await driver.read(() => walkEvents(from, pageSize))
    for (const event of page) check.take(event)
    done += page.length
    progress.show('events', done, total)
    await nextTurn(world)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    place = last
  }
  const lost = await driver.read(() => listLostLogs(countedMax))
  return [...check.findings(), ...lostFinding(lost)]
}

function lostFinding(lost: readonly string[]): readonly Finding[] {
  if (lost.length === 0) return []
  return [
    {
      level: 'problem',
      topic: 'logs',
      summary: `${countOf(lost.length, 'execution')} whose last event is not in the log.`,
      examples: lost.slice(0, examplesMax),
      advice: 'Something other than Stele has removed events; restore the file from a backup.',
    },
  ]
}

/** Lets signals and timers have their turn. */
function nextTurn({ scheduler }: World): Promise<void> {
  return new Promise((resolve) => {
    scheduler.soon(resolve)
  })
}
