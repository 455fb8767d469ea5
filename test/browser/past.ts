/** A database of an engine that is gone: executions in every state, and one with a long log. */

import { createEngine, defineActivity, defineWorkflow, err, unchecked } from 'stele'
import { eventLoopTurn } from '../support/test-time.ts'

const flaky = defineActivity(
  { name: 'charge', retry: { maxRetries: 2, backoff: 1 } },
  (amount: number, { attempt, log }) => {
    log.warn('charging', { amount })
    if (attempt === 1) throw new Error('the bank is down')
    return { amount }
  },
)
const refuse = defineActivity({ name: 'refuse', retry: { maxRetries: 0 } }, () => err('no'))
const order = defineWorkflow(
  { name: 'order', messages: { approve: unchecked<string>() } },
  async (total: number, { call, sleep, messages }) => {
    const receipt = await call(flaky, total)
    await sleep(1)
    return { receipt, by: await messages.approve.next() }
  },
)
const count = defineWorkflow({ name: 'count' }, async (steps: number, { step }) => {
  for (let index = 0; index < steps; index += 1) await step('add', () => index)
  return steps
})

/** Functions of that engine. */
export const pastFunctions = [flaky, refuse, order, count] as const

/** Makes the database; `order-1` waits for a message, `counted` has `steps` events and a few. */
export async function makePast(file: string, steps = 300): Promise<void> {
  await using engine = await createEngine({
    storage: file,
    functions: pastFunctions,
    logger: false,
    sourceLines: true,
  })
  await engine.start()
  const waiting = await engine.submit(order, 7, { id: 'order-1', metadata: { tenant: 'acme' } })
  const refused = await engine.submit(refuse, undefined, { id: 'refused' })
  const counted = await engine.submit(count, steps, { id: 'counted' })
  await engine.submit(flaky, 1, { id: 'later', delay: '1 hour' })
  await engine.submit(flaky, 1, { id: 'held', paused: true })
  const done = await engine.submit(order, 9, { id: 'order-2' })
  await done.send('approve', 'ann')
  await Promise.all([refused.outcome(), counted.outcome(), done.outcome()])
  for (;;) {
    await eventLoopTurn()
    const { events } = await waiting.log()
    const last = events.at(-1)
    if (last?.type === 'join_next' && last.joinSetId === 'm:approve') break
  }
}
