/** What it all came to, in figures, and what must never be. */
import type { ExecutionTree } from 'stele'
import { type Entry, moved } from './ledger.ts'
import type { Palette } from './paint.ts'

/** What to sum up. */
export interface Account {
  readonly orders: readonly ExecutionTree[]
  readonly requests: readonly Entry[]
  readonly durationMs: number
  readonly palette: Palette
}

/** The totals, as lines. */
export function drawTotals({ orders, requests, durationMs, palette }: Account): string[] {
  const all = orders.flatMap(flatten)
  const sum = (figure: (tree: ExecutionTree) => number): number =>
    all.reduce((total, tree) => total + figure(tree), 0)
  const ended = (type: string): number =>
    orders.filter(({ execution }) => execution.outcomeType === type).length
  const open = orders.filter(({ execution }) => execution.status !== 'finished').length
  const count = (kind: Entry['kind'], entries: readonly Entry[]): number =>
    entries.filter((entry) => entry.kind === kind).length
  const money = moved(requests)
  const told = (kind: Entry['kind']): string =>
    `distinct keys; ${count(kind, requests)} requests, so ` +
    `${count(kind, requests) - count(kind, money)} recognised as repeats`
  const attempts = sum(({ execution }) => execution.attempt)
  const tookOver = all.filter(isTakenOver)
  const workflows = tookOver.filter(({ execution }) => execution.kind === 'workflow').length
  const rows: readonly (readonly [name: string, figure: number | string, note: string])[] = [
    [
      'orders',
      orders.length,
      `${ended('ok')} ok, ${ended('err')} err, ${ended('execution_failure')} failed or cancelled, ` +
        `${open} not finished`,
    ],
    ['executions', all.length, `${all.length - orders.length} of them activities`],
    ['events', sum(({ execution }) => execution.version + 1), 'all of them in the database'],
    ['attempts', attempts, `${attempts - all.length} of them repetitions`],
    [
      'takeovers',
      tookOver.length,
      `begun in worker 1 and ended in worker 2: ${workflows} workflows, ` +
        `${tookOver.length - workflows} activities`,
    ],
    ['charges', count('charge', money), told('charge')],
    ['refunds', count('refund', money), told('refund')],
    ['duration', `${(durationMs / 1_000).toFixed(1)} s`, ''],
  ]
  const lines = rows.map(
    ([name, figure, note]) =>
      `${name.padEnd(12)}${palette.bold(String(figure).padStart(6))}  ${palette.dim(note)}`,
  )
  return ['', ...lines.map((line) => line.trimEnd()), '']
}

/** An execution and everything below it. */
export function flatten(tree: ExecutionTree): readonly ExecutionTree[] {
  return [tree, ...tree.children.flatMap(flatten)]
}

/** Whether more than one process has held it. */
export function isTakenOver({ log }: ExecutionTree): boolean {
  const locks = log?.events.flatMap((event) => (event.type === 'locked' ? [event.executorId] : []))
  return new Set(locks).size > 1
}

/** What must never be: orders that are lost, money taken twice or for nothing, or not given back. */
export function findFaults({ orders, requests }: Pick<Account, 'orders' | 'requests'>): string[] {
  const money = moved(requests)
  return orders.flatMap((tree) => {
    const { id, status } = tree.execution
    const number = Number(id.slice(-2))
    const count = (kind: Entry['kind']): number =>
      money.filter((entry) => entry.kind === kind && entry.order === number).length
    const [charges, refunds] = [count('charge'), count('refund')]
    const delivered = tree.execution.outcomeType === 'ok'
    return [
      ...(status === 'finished' ? [] : [`${id} has not finished`]),
      ...(charges > 1 ? [`${id} was charged ${charges} times`] : []),
      ...(refunds > charges ? [`${id} was refunded without a charge`] : []),
      ...(delivered && charges !== 1 ? [`${id} was delivered and not paid`] : []),
      ...(delivered && refunds > 0 ? [`${id} was delivered and refunded`] : []),
      ...(!delivered && charges !== refunds ? [`${id} was paid and not delivered`] : []),
    ]
  })
}
