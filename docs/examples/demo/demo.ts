/**
 * The demo: orders come in, a worker process executes them, is killed with SIGKILL part-way, and
 * another one carries on. Ends with a picture of what happened, drawn from the logs alone.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine, type ListItem } from 'stele'
import { createActivities } from './activities.ts'
import { tellEvents } from './events.ts'
import { type Charge, openLedger } from './ledger.ts'
import { type Plan, plans } from './orders.ts'
import { createPalette, wantsColour } from './paint.ts'
import { drawPicture } from './picture.ts'
import { type Counts, createProgress } from './progress.ts'
import { type Story, tellStory } from './story.ts'
import { drawTotals } from './totals.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

/** An order comes in this often, in milliseconds. */
const orderInterval = 160
/** The demo gives up after this time, in milliseconds. */
const patience = 30_000

const { stdout, env } = process
const palette = createPalette(wantsColour(stdout, env))
const columns = Math.min(
  160,
  Math.max(80, stdout.isTTY ? stdout.columns : Number(env['COLUMNS'] ?? 100)),
)
const folder = mkdtempSync(join(tmpdir(), 'stele-demo-'))
const database = join(folder, 'orders.db')
const ledgerFile = join(folder, 'ledger.jsonl')
const ledger = openLedger(ledgerFile)
const activities = createActivities(ledger)

// A client only: no function is given, so nothing is executed in this process.
const engine = await createEngine({ storage: database })

const startedAt = Date.now()
const progress = createProgress(stdout, palette)
progress.note(`database ${database}`)
const workers: WorkerProcess[] = []
const submitting = submitAll()
const firstWorker = await work('worker 1')
let killedAt = Number.POSITIVE_INFINITY
let items: readonly ListItem[] = []
while (Date.now() - startedAt < patience) {
  items = (await engine.list({}, { limit: 1_000 })).items
  const counts = countAll(items)
  progress.show(counts)
  if (counts.finished === plans.length) break
  if (firstWorker.isAlive() && isWorstMoment(counts)) await killWorker(counts)
  await sleep(100)
}
await submitting
progress.end()
await workers.at(-1)?.end('SIGTERM')

const stories: Story[] = []
for (const { id } of plans) {
  const handle = await engine.get(id)
  stories.push(tellStory(id, await handle.log(), { killedAt }))
}
const charges = ledger.requests()
const lives = workers.map((worker) => worker.life())
const shown = mostInteresting(stories, charges)
const lines = [
  '',
  ...drawPicture({ stories, lives, columns, palette }),
  ...(shown === undefined
    ? []
    : await tellEvents(await engine.get(shown.id), { charges, columns, palette, killedAt })),
  ...drawTotals({ stories, charges, palette, durationMs: Date.now() - startedAt }),
  palette.dim(`database  ${database}`),
  palette.dim(`ledger    ${ledgerFile}`),
]
stdout.write(`${lines.join('\n')}\n`)
await engine.stop()
process.exitCode = faults(stories, charges).length === 0 ? 0 : 1
for (const fault of faults(stories, charges)) stdout.write(`${palette.red(fault)}\n`)

async function submitAll(): Promise<void> {
  for (const plan of plans) {
    await submit(plan)
    await sleep(orderInterval)
  }
}

async function submit({ id, activity, order, delayMs, paused, cancelled }: Plan): Promise<void> {
  const options = { id, paused, ...(delayMs === undefined ? {} : { delay: delayMs }) }
  const handle = await engine.submit(activities[activity], order, options)
  // What somebody at a desk would do meanwhile.
  if (paused === true) void sleep(2_200).then(() => handle.unpause())
  if (cancelled === true) void sleep(450).then(() => handle.cancel({ reason: 'the customer' }))
}

async function work(name: string): Promise<WorkerProcess> {
  const worker = await startWorker(name, [database, ledgerFile])
  workers.push(worker)
  progress.note(`${name} is process ${worker.pid}`)
  return worker
}

/** In the middle of many runs, some of which have taken money and told nobody yet. */
function isWorstMoment({ finished, running }: Counts): boolean {
  const done = new Set(items.filter(({ status }) => status === 'finished').map(({ id }) => id))
  const untold = ledger.requests().filter(({ key }) => !done.has(key)).length
  return (finished >= 11 && running >= 5 && untold >= 2) || (finished >= 18 && running > 0)
}

async function killWorker({ running }: Counts): Promise<void> {
  killedAt = Date.now()
  await firstWorker.end('SIGKILL')
  progress.note(palette.magenta(`kill -9 ${firstWorker.pid}, in the middle of ${running} runs`))
  // Nobody works for a moment; orders come in all the same.
  await sleep(600)
  await work('worker 2')
}

function countAll(listed: readonly ListItem[]): Counts {
  const now = Date.now()
  const count = (test: (item: ListItem) => boolean): number => listed.filter(test).length
  const isWaiting = (item: ListItem): boolean => item.paused || (item.scheduledAt ?? 0) > now
  return {
    expected: plans.length,
    submitted: listed.length,
    finished: count(({ status }) => status === 'finished'),
    running: count(({ status }) => status === 'locked'),
    due: count((item) => item.status === 'pending_at' && !isWaiting(item)),
    waiting: count((item) => item.status === 'pending_at' && isWaiting(item)),
  }
}

/** One that was taken over; best of all one that had taken the money already. */
function mostInteresting(all: readonly Story[], requests: readonly Charge[]): Story | undefined {
  const count = (id: string): number => requests.filter(({ key }) => key === id).length
  const takenOver = all.filter((story) => story.takenOver)
  const [best] = takenOver.toSorted(
    (left, right) => count(right.id) - count(left.id) || left.events - right.events,
  )
  return best
}

/** What must never be: work that is lost, money that was not taken, or taken for nobody. */
function faults(ended: readonly Story[], requests: readonly Charge[]): readonly string[] {
  const keys = new Set(requests.map(({ key }) => key))
  const open = ended.filter(({ end }) => end === 'open').map(({ id }) => `${id} has not finished`)
  const unpaid = ended
    .filter(({ id, name, end }) => name === 'charge' && end === 'ok' && !keys.has(id))
    .map(({ id }) => `${id} is missing in the ledger`)
  const spared = Number.isFinite(killedAt) ? [] : ['no worker was killed']
  return [...open, ...unpaid, ...spared]
}
