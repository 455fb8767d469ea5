/** One order from its price to the van, or back to where it came from. Both processes know it. */
import { defineWorkflow, err, isExecutionError, unchecked } from 'stele'
import { createActivities } from './activities.ts'
import type { Ledger } from './ledger.ts'
import type { Order } from './orders.ts'

/** The workflow and its activities, around a ledger. */
export function createFunctions(ledger: Ledger) {
  const activities = createActivities(ledger)
  const { charge, refund, pack, ship } = activities
  const checkout = defineWorkflow(
    { name: 'checkout', messages: { approve: unchecked<{ by: string }>() } },
    async (order: Order, { call, outcome, step, sleep, joinSet, messages, log }) => {
      // A local step: its result is in this log, and it never runs again.
      const cents = await step('price', () => order.cents + shippingOf(order))
      if (order.needsApproval) {
        const approval = await messages.approve.next({ timeout: '3s' })
        if (approval === undefined) return err({ code: 'not_approved' })
        log.info('approved', approval)
      }
      const payment = await outcome(charge, { ...order, cents })
      if (payment.type !== 'ok') return err({ code: 'not_paid' })
      try {
        const boxes = joinSet('boxes', { of: pack })
        for (const item of order.items) boxes.submit(pack, { order, item })
        for await (const { value } of boxes) log.info('packed', value)
        await sleep('400ms') // until the van comes
        const { parcel } = await call(ship, order)
        return { parcel, ...payment.value }
      } catch (error) {
        if (!isExecutionError(error)) throw error
        // The money was taken, and nothing will be delivered: take back what was done.
        await call(refund, { ...order, cents })
        return err({ code: 'refunded', because: error.outcome })
      }
    },
  )
  return { ...activities, checkout }
}

function shippingOf({ items }: Order): number {
  return 300 + 50 * items.length
}
