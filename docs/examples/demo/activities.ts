/** What is done in the world. Ordinary functions: they may throw, hang, say no and be killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ActivityContext, defineActivity, err, PermanentError } from 'stele'
import type { Ledger } from './ledger.ts'
import type { Order, Service, Turn } from './orders.ts'

/** Asks a service of the outside world. `signal` ends the wait when the attempt's time is up. */
async function ask(
  service: Service,
  { turns, workMs }: Order,
  { attempt, signal }: ActivityContext,
): Promise<Turn> {
  const answers = turns[service]
  const turn = answers[Math.min(attempt, answers.length) - 1] ?? 'ok'
  if (turn === 'hangs') await sleep(3_600_000, undefined, { signal })
  await sleep(turn === 'ok' ? workMs : 150, undefined, { signal })
  return turn
}

/** The activities, around a ledger. */
export function createActivities(ledger: Ledger) {
  const charge = defineActivity(
    { name: 'charge', retry: { maxRetries: 4, backoff: '150ms' }, timeout: '5s' },
    async (order: Order, context) => {
      const { attempt, idempotencyKey: key, log, signal } = context
      const { number, cents } = order
      log.info('asking the bank', { attempt, cents })
      const answer = await ask('bank', order, context)
      if (answer === 'refused') return err({ code: 'declined' }, { permanent: true })
      if (answer !== 'ok') throw new Error('the bank is down')
      ledger.request({ kind: 'charge', key, order: number, cents })
      // A process that dies here has taken the money and told nobody: hence the key.
      await sleep(2 * order.workMs, undefined, { signal })
      return { receipt: `R-${number}` }
    },
  )
  const refund = defineActivity(
    { name: 'refund', retry: { maxRetries: 4, backoff: '150ms' } },
    async ({ number, cents, workMs }: Order, { idempotencyKey: key, signal }) => {
      ledger.request({ kind: 'refund', key, order: number, cents })
      await sleep(workMs, undefined, { signal })
      return { refunded: cents }
    },
  )
  const pack = defineActivity(
    { name: 'pack', retry: { maxRetries: 2, backoff: '200ms' }, timeout: '800ms' },
    async ({ order, item }: { order: Order; item: string }, context) => {
      // One box of an order gets stuck, the others do not.
      const isFirst = item === order.items[0]
      await ask('packing', isFirst ? order : { ...order, turns: calm }, context)
      return { box: item }
    },
  )
  const ship = defineActivity(
    { name: 'ship', retry: { maxRetries: 2, backoff: '300ms' } },
    async (order: Order, context) => {
      const answer = await ask('van', order, context)
      if (answer === 'refused') throw new PermanentError('no such address')
      return answer === 'full' ? err({ code: 'van_is_full' }) : { parcel: `P-${order.number}` }
    },
  )
  return { charge, refund, pack, ship }
}

const calm: Order['turns'] = { bank: ['ok'], packing: ['ok'], van: ['ok'] }
