/**
 * A storm: processes are killed at random moments while they work; nothing is lost. Small among
 * the tests, and as large as one likes by `npm run storm`, which sets the three variables.
 */

import { type AnyFunction, functionRef, type Handle } from 'stele'
import { expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { executionId } from '../support/storage/ids.ts'
import {
  type CrashSite,
  type LedgerLine,
  openCrashSite,
  pause,
  until,
  type Worker,
} from './workers.ts'

const seed = Number(process.env['STELE_CRASH_SEED'] ?? 20_261)
const executions = Number(process.env['STELE_CRASH_EXECUTIONS'] ?? 60)
const kills = Number(process.env['STELE_CRASH_KILLS'] ?? 12)
/** What remains when the last process was killed has this long to finish. */
const drainLimit = 20_000 + 50 * executions
/** A large storm says how far it is. */
const killsPerReport = 20
const workersAtOnce = 3
/** The functions of the worker, in turn; the last one never succeeds. */
const names = ['quick', 'slow', 'flaky', 'hanging', 'doomed'] as const

/** A run, as the log knows it. */
interface LoggedRun {
  readonly runId: string
  readonly attempt: number
  readonly pid: number
}

it(`storm: ${kills} kills under ${executions} executions (seed ${seed})`, {
  timeout: 40_000 + 3_000 * kills + drainLimit,
}, async () => {
  const random = createRandom(seed)
  await using site = await openCrashSite()
  const workers = await Promise.all(Array.from({ length: workersAtOnce }, site.startWorker))
  const handles: Handle<unknown>[] = []
  const submitSome = async (count: number): Promise<void> => {
    for (let left = count; left > 0 && handles.length < executions; left -= 1) {
      const ref = functionRef<AnyFunction>(nameOf(handles.length))
      handles.push(await site.client.submit(ref, handles.length as never))
    }
  }
  for (let killed = 0; killed < kills; killed += 1) {
    await submitSome(Math.ceil(executions / kills))
    await pause(50 + random.next() * 250)
    const victim = Math.floor(random.next() * workers.length)
    await workers[victim]?.kill()
    workers[victim] = await site.startWorker()
    if ((killed + 1) % killsPerReport === 0) await report(killed + 1, handles)
  }
  const states = () => Promise.all(handles.map((handle) => handle.state()))
  await until(async () => (await states()).every(({ status }) => status === 'finished'), drainLimit)
  expect(handles).toHaveLength(executions)
  await checkEverything(site, handles, workers)
})

/** One line of progress. */
async function report(killed: number, handles: readonly Handle<unknown>[]): Promise<void> {
  const states = await Promise.all(handles.map((handle) => handle.state()))
  const finished = states.filter(({ status }) => status === 'finished').length
  console.log(`storm: ${killed} of ${kills} kills, ${finished} of ${handles.length} finished`)
}

async function checkEverything(
  site: CrashSite,
  handles: readonly Handle<unknown>[],
  workers: readonly Worker[],
): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill()))
  const storage = await site.openStorage()
  await checkInvariants(storage)
  const lines = site.ledger()
  for (const [index, handle] of handles.entries()) {
    await checkOutcome(handle, index)
    const begun = lines.filter((line) => line.executionId === handle.id && line.kind === 'begin')
    const runs = await runsOf(storage, handle.id)
    expect(begun.length, `runs of ${handle.id}`).toBeGreaterThan(0)
    expect(begun.length, `runs of ${handle.id}`).toBeLessThanOrEqual(runs.length)
    expect(findStranger(begun, runs), `${handle.id} ran without its lock`).toBeUndefined()
  }
  await storage.close()
  const cut = countCut(lines, handles)
  console.log(`storm: ${lines.length} lines in the ledger, ${cut} slow runs cut short`)
  expect(cut, 'a storm that hits nobody shows nothing').toBeGreaterThan(0)
}

/** Runs of the slow function that began and never ended: the process died under them. */
function countCut(lines: readonly LedgerLine[], handles: readonly Handle<unknown>[]): number {
  const slow = new Set(handles.filter((_, index) => nameOf(index) === 'slow').map(({ id }) => id))
  const mine = lines.filter((line) => slow.has(line.executionId))
  const ends = mine.filter(({ kind }) => kind === 'end')
  return mine.length - 2 * ends.length
}

function nameOf(index: number): string {
  return names[index % names.length] ?? 'quick'
}

async function checkOutcome(handle: Handle<unknown>, input: number): Promise<void> {
  const isDoomed = nameOf(input) === 'doomed'
  const outcome = await handle.outcome({ timeout: 0 })
  expect(outcome).toMatchObject(
    isDoomed ? { type: 'execution_failure' } : { type: 'ok', value: input * 2 },
  )
}

/** The runs of an execution in the order of its log, with the process that held each lock. */
async function runsOf(storage: Storage, id: string): Promise<readonly LoggedRun[]> {
  const executors = await storage.listExecutors(1_000)
  const pids = new Map<string, number>(executors.map(({ executorId, pid }) => [executorId, pid]))
  const events = await storage.listEvents({ executionId: executionId(id), from: 0, limit: 1_000 })
  const runs: LoggedRun[] = []
  let failures = 0
  for (const { event } of events) {
    if (event.type === 'temporarily_failed' || event.type === 'temporarily_timed_out') failures += 1
    if (event.type !== 'locked' || runs.at(-1)?.runId === event.runId) continue
    const pid = pids.get(event.executorId) ?? 0
    runs.push({ runId: event.runId, attempt: failures + 1, pid })
  }
  return runs
}

/** A run in the ledger that is not, in this order, a run of the process that held the lock. */
function findStranger(
  begun: readonly LedgerLine[],
  runs: readonly LoggedRun[],
): LedgerLine | undefined {
  let place = 0
  return begun.find(({ attempt, pid }) => {
    const found = runs.findIndex(
      (run, index) => index >= place && run.attempt === attempt && run.pid === pid,
    )
    place = found + 1
    return found < 0
  })
}
