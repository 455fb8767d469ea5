/** An engine with a past, and a viewer that may act: one order, its child, and what else there is. */

import { type AnyFunction, defineActivity, defineWorkflow, err, unchecked } from 'stele'
import { expect } from 'vitest'
import type { Viewer } from '../../src/inspector/server/open-viewer.ts'
import { openTestEngine, type TestEngine } from '../unit/client/test-engine.ts'
import { askViewer, openTestViewer } from './viewer.ts'

const charge = defineActivity(
  { name: 'charge', retry: { maxRetries: 2, backoff: '1s' } },
  (amount: number, { attempt, log }) => {
    log.warn('charging', { amount })
    if (attempt === 1) throw new Error('the bank is down')
    return { amount, at: new Date(0) }
  },
)
const refuse = defineActivity({ name: 'refuse', retry: { maxRetries: 0 } }, () => err('no'))
const review = defineActivity({ name: 'review' }).stub()
export const order = defineWorkflow(
  { name: 'order', messages: { approve: unchecked<string>() } },
  async (total: number, { call, sleep, messages }) => {
    const receipt = await call(charge, total)
    await sleep('1 minute')
    return { receipt, by: await messages.approve.next() }
  },
)
const functions: readonly AnyFunction[] = [charge, refuse, review, order]

/** The order, which waits for a message when the past has been made. */
export const orderId = 'order/1'
/** Its child, which has failed once. */
export const childId = 'order/1.o:1-charge_1'

/** An engine and its viewer. */
export interface OrderWorld extends AsyncDisposable {
  readonly world: TestEngine
  readonly viewer: Viewer
  /** Asks, and expects an answer. */
  readonly ask: <Answer>(name: string, query?: Readonly<Record<string, string>>) => Promise<Answer>
}

/** Makes the past: 70 seconds of it. */
export async function openOrderWorld(): Promise<OrderWorld> {
  const world = await openTestEngine({ functions: functions as never })
  const viewer = await openTestViewer({ engine: world.engine, actions: true })
  await world.engine.submit(order, 7, { id: orderId, metadata: { tenant: 'acme' } })
  await world.engine.submit(refuse, undefined, { id: 'refused' })
  await world.engine.submit(review, undefined, { id: 'review-1' })
  await world.advance(70_000)
  return {
    world,
    viewer,
    ask: async <Answer>(name: string, query = {}) => {
      const search = new URLSearchParams(query).toString()
      const answer = await askViewer(viewer, `/api/${name}?${search}`)
      expect(answer.status).toBe(200)
      return answer.json() as Answer
    },
    [Symbol.asyncDispose]: async () => {
      await viewer.close()
      await world.stop()
    },
  }
}
