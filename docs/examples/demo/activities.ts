/** What is done about an order. Ordinary functions: they may throw, hang, say no and be killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ActivityContext, defineActivity, err, PermanentError } from 'stele'
import type { Ledger } from './ledger.ts'
import type { Order, Turn } from './orders.ts'

/** Asks a service of the outside world. `signal` ends the wait when the attempt's time is up. */
async function ask(order: Order, { attempt, signal }: ActivityContext): Promise<Turn> {
  const turn = order.turns[Math.min(attempt, order.turns.length) - 1] ?? 'ok'
  if (turn === 'hangs') await sleep(3_600_000, undefined, { signal })
  await sleep(turn === 'ok' ? order.workMs : 150, undefined, { signal })
  return turn
}

/** The activities, around a ledger. Both processes of the demo make them from this one place. */
export function createActivities(ledger: Ledger) {
  const charge = defineActivity(
    { name: 'charge', retry: { maxRetries: 4, backoff: '150ms' }, timeout: '5s' },
    async (order: Order, context) => {
      const { attempt, idempotencyKey, log, signal } = context
      log.info('asking the bank', { attempt, cents: order.cents })
      const answer = await ask(order, context)
      if (answer === 'refused') return err({ code: 'declined' }, { permanent: true })
      if (answer !== 'ok') throw new Error('the bank is down')
      ledger.request({ key: idempotencyKey, cents: order.cents })
      // A process that dies here has taken the money and told nobody: hence the key.
      await sleep(2 * order.workMs, undefined, { signal })
      return { receipt: `R-${order.number}` }
    },
  )
  const reserve = defineActivity(
    { name: 'reserve', retry: { maxRetries: 2, backoff: '200ms' }, timeout: '800ms' },
    async (order: Order, context) => {
      if (context.attempt > 1) context.log.warn('the warehouse was slow', { again: true })
      await ask(order, context)
      return { shelf: `${order.number % 7}-${order.number % 13}` }
    },
  )
  const ship = defineActivity(
    { name: 'ship', retry: { maxRetries: 2, backoff: '300ms' } },
    async (order: Order, context) => {
      const answer = await ask(order, context)
      if (answer === 'refused') throw new PermanentError('no such address')
      return answer === 'full' ? err({ code: 'van_is_full' }) : { parcel: `P-${order.number}` }
    },
  )
  const invoice = defineActivity(
    { name: 'invoice', retry: { maxRetries: 3, backoff: '100ms' } },
    async (order: Order, context) => {
      const answer = await ask(order, context)
      if (answer !== 'ok') throw new Error('printer: out of paper')
      return { invoice: `I-${order.number}` }
    },
  )
  return { charge, reserve, ship, invoice }
}
