/**
 * The demo: orders come in, a worker process executes them, is killed with SIGKILL part-way, and
 * another one carries on. Ends with a picture of what happened, drawn from the logs alone.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine, type ExecutionTree, formatTimeline, type ListItem } from 'stele'
import { createFunctions } from './checkout.ts'
import { openLedger } from './ledger.ts'
import { type Plan, plans } from './orders.ts'
import { createPalette, wantsColour } from './paint.ts'
import { type Counts, createProgress } from './progress.ts'
import { drawTotals, findFaults, flatten, isTakenOver } from './totals.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

/** An order comes in this often, in milliseconds. */
const orderInterval = 200
/** The demo gives up after this time, in milliseconds. */
const patience = 40_000

const { stdout, env } = process
const colours = wantsColour(stdout, env)
const palette = createPalette(colours)
const columns = Math.min(
  160,
  Math.max(80, stdout.isTTY ? stdout.columns : Number(env['COLUMNS'] ?? 100)),
)
const folder = mkdtempSync(join(tmpdir(), 'stele-demo-'))
const database = join(folder, 'orders.db')
const ledgerFile = join(folder, 'ledger.jsonl')
const ledger = openLedger(ledgerFile)
const { checkout } = createFunctions(ledger)

// A client only: no function is given, so nothing is executed in this process.
const engine = await createEngine({ storage: database })

const startedAt = Date.now()
const progress = createProgress(stdout, palette)
progress.note(`database ${database}`)
const submitting = submitAll()
const firstWorker = await work('worker 1')
let secondWorker: WorkerProcess | undefined
let killedAt = Number.POSITIVE_INFINITY
while (Date.now() - startedAt < patience) {
  const { items } = await engine.list({ children: true }, { limit: 1_000 })
  const counts = countAll(items)
  progress.show(counts)
  if (counts.finished === plans.length) break
  if (firstWorker.isAlive() && isWorstMoment(items, counts)) await killWorker(counts)
  await sleep(100)
}
await submitting
progress.end()
const durationMs = Date.now() - startedAt
await (secondWorker ?? firstWorker).end('SIGTERM')

const orders: ExecutionTree[] = []
for (const { id } of plans) orders.push(await (await engine.get(id)).tree({ logs: true }))
const requests = ledger.requests()
const picture = {
  columns,
  colours,
  moments: [
    ...(Number.isFinite(killedAt) ? [{ at: killedAt, label: 'kill -9 worker 1' }] : []),
    ...(secondWorker === undefined ? [] : [{ at: secondWorker.startedAt, label: 'worker 2' }]),
  ],
}
const alone = orders.map(({ children: _below, ...order }) => ({ ...order, children: [] }))
const lines = [
  '',
  formatTimeline(alone, picture),
  ...mostInteresting().flatMap((order) => [
    '',
    palette.bold(`${order.execution.id}, with its children`),
    formatTimeline(order, picture),
  ]),
  ...drawTotals({ orders, requests, durationMs, palette }),
  palette.dim(`database  ${database}`),
  palette.dim(`ledger    ${ledgerFile}`),
]
stdout.write(`${lines.join('\n')}\n`)
await engine.stop()
const faults = [
  ...findFaults({ orders, requests }),
  ...(Number.isFinite(killedAt) ? [] : ['no worker was killed']),
]
for (const fault of faults) stdout.write(`${palette.red(fault)}\n`)
process.exitCode = faults.length === 0 ? 0 : 1

async function submitAll(): Promise<void> {
  for (const plan of plans) {
    await submit(plan)
    await sleep(orderInterval)
  }
}

async function submit({ id, order, ...meanwhile }: Plan): Promise<void> {
  const handle = await engine.submit(checkout, order, { id })
  // What people do meanwhile.
  const { approvedAfterMs, pausedAfterMs, cancelledAfterMs } = meanwhile
  if (approvedAfterMs !== undefined) {
    void sleep(approvedAfterMs).then(() => handle.send('approve', { by: 'ann' }, { id: 'ann-1' }))
  }
  if (pausedAfterMs !== undefined) {
    void sleep(pausedAfterMs)
      .then(handle.pause)
      .then(() => sleep(1_200))
      .then(handle.unpause)
  }
  if (cancelledAfterMs !== undefined) {
    void sleep(cancelledAfterMs).then(() => handle.cancel({ reason: 'the customer' }))
  }
}

async function work(name: string): Promise<WorkerProcess> {
  const worker = await startWorker([database, ledgerFile])
  progress.note(`${name} is process ${worker.pid}`)
  return worker
}

/** In the middle of many runs, some of which have taken money and told nobody yet. */
function isWorstMoment(items: readonly ListItem[], { finished, running }: Counts): boolean {
  const done = new Set(items.filter(({ status }) => status === 'finished').map(({ id }) => id))
  const untold = ledger.requests().filter(({ key }) => !done.has(key)).length
  return (finished >= 5 && running >= 6 && untold >= 2) || (finished >= 12 && running > 0)
}

async function killWorker({ running, parked }: Counts): Promise<void> {
  killedAt = Date.now()
  await firstWorker.end('SIGKILL')
  const what = `in the middle of ${running} runs, while ${parked} workflows wait`
  progress.note(palette.magenta(`kill -9 ${firstWorker.pid}, ${what}`))
  // Nobody works for a moment; orders and approvals come in all the same.
  await sleep(600)
  secondWorker = await work('worker 2')
}

function countAll(items: readonly ListItem[]): Counts {
  const count = (test: (item: ListItem) => boolean): number => items.filter(test).length
  const isOrder = ({ parentId }: ListItem): boolean => parentId === undefined
  return {
    expected: plans.length,
    finished: count((item) => isOrder(item) && item.status === 'finished'),
    open: count((item) => isOrder(item) && item.status !== 'finished'),
    running: count(({ status }) => status === 'locked'),
    parked: count(({ status }) => status === 'blocked'),
  }
}

/** One that was charged twice and paid once, and one that took everything back. */
function mostInteresting(): readonly ExecutionTree[] {
  const repeats = (tree: ExecutionTree): number => {
    const charges = flatten(tree).filter(({ execution }) => execution.functionName === 'charge')
    const keys = new Set(charges.map(({ execution }) => execution.id))
    return requests.filter(({ key }) => keys.has(key)).length
  }
  const score = (tree: ExecutionTree): number =>
    10 * repeats(tree) + flatten(tree).filter(isTakenOver).length
  const best = (name: string): readonly ExecutionTree[] =>
    orders
      .filter((tree) => flatten(tree).some(({ execution }) => execution.functionName === name))
      .toSorted((left, right) => score(right) - score(left))
      .slice(0, 1)
  return [...new Set([...best('ship'), ...best('refund')])]
}
