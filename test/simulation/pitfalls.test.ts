/** What users of comparable systems suffered, as scenarios under many seeds. */

import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { explore, requireOk, simulate, simulated } from 'stele/simulation'
import { expect, it } from 'vitest'

const lockExpiry = '2s'
const beat = defineActivity({ name: 'beat', lockExpiry }, (input: number) => input)
const beats = {
  beat: simulated<number, number>({
    ok: (input, { idempotencyKey }, { ledger }) => {
      ledger.record('beat', idempotencyKey)
      return input
    },
  }),
}

it('B19: a message between the decision to park and the park wakes the workflow', async () => {
  const pair = defineWorkflow(
    { name: 'pair', lockExpiry, messages: { go: unchecked<number>() } },
    async (_: undefined, { call, messages }) => {
      const first = await call(beat, 1)
      return first + (await messages.go.next())
    },
  )
  const result = await explore(
    {
      functions: [beat, pair],
      activities: beats,
      engines: { count: [1, 2] },
      faults: { reorder: 0.5, lateRead: 0.5, slow: 0.3, dropNotice: 0.5, swarm: true },
      runs: 150,
      marks: ['sent before the wait', 'sent after the wait'],
    },
    async (w) => {
      const handle = await w.submit(pair, undefined, { id: 'pair' })
      for (let waits = w.choose('waits', 12); waits > 0; waits -= 1) await w.advance('1ms')
      const { status } = await handle.state()
      w.sometimes('sent before the wait', status !== 'blocked')
      w.sometimes('sent after the wait', status === 'blocked')
      await handle.send('go', 1)
      w.check('the message arrives', (await handle.result()) === 2)
    },
  )
  expect(result.ok, result.report()).toBe(true)
})

it('B30: when everything restarts, each of many due timers fires once', async () => {
  const count = 300
  const nap = defineWorkflow(
    { name: 'nap', lockExpiry },
    async (input: number, { sleep, call }) => {
      await sleep('1 day')
      return call(beat, input)
    },
  )
  const options = { functions: [beat, nap], activities: beats, engines: { count: 2 } }
  const { ledger } = requireOk(
    await simulate(options, async (w) => {
      const inputs = Array.from({ length: count }, (_, index) => index)
      const handles = await w.submitMany(nap, inputs)
      await w.advance('1 hour')
      for (const engine of w.engines) w.crash(engine, { comesBack: false })
      await w.advance('2 days')
      for (const engine of w.engines) w.boot(engine)
      for (const handle of handles) await handle.result()
    }),
  )
  expect(ledger).toHaveLength(count)
})

it('B55: among many that wait, whoever is due is woken at once', async () => {
  const woken: number[] = []
  const late = defineWorkflow(
    { name: 'late', lockExpiry },
    async (after: number, { sleep, step, now }) => {
      const dueAt = now() + after
      await sleep(after)
      // Inside a step the clock is the process's own.
      return step('look', () => Date.now() - dueAt)
    },
  )
  const options = { functions: [late], engines: { count: 2 }, limits: { steps: 1_000_000 } }
  requireOk(
    await simulate(options, async (w) => {
      const inputs = Array.from({ length: 500 }, (_, index) => 60_000 + index * 977)
      const handles = await w.submitMany(late, inputs)
      for (const handle of handles) woken.push(await handle.result())
    }),
  )
  const sorted = woken.toSorted((left, right) => left - right)
  expect(sorted).toHaveLength(500)
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThanOrEqual(20)
})

it('B56: a sleep passes while a child runs', async () => {
  const slow = defineActivity({ name: 'slow', timeout: '2 days' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_600_000))
    return 'slow'
  })
  const both = defineWorkflow({ name: 'both' }, async (_: undefined, { call, sleep, now }) => {
    const began = now()
    const child = call(slow)
    await sleep('30 minutes')
    const rested = now() - began
    return { value: await child, rested, took: now() - began }
  })
  const { simulatedMs } = requireOk(
    await simulate({ functions: [slow, both] }, async (w) => {
      const { value, rested, took } = await (await w.submit(both)).result()
      w.check('the child ends', value === 'slow')
      w.check('half an hour', rested === 1_800_000, `${rested}`)
      w.check('an hour', took === 3_600_000, `${took}`)
    }),
  )
  expect(simulatedMs).toBeGreaterThanOrEqual(3_600_000)
})

it('B75: thirty days of sleep take a handful of steps', async () => {
  const month = defineWorkflow({ name: 'month' }, async (_: undefined, { sleep }) => {
    await sleep('30 days')
    return 'done'
  })
  const result = requireOk(
    await simulate({ functions: [month] }, async (w) => {
      const began = w.now()
      w.check('it ends', (await (await w.submit(month)).result()) === 'done')
      // The client looks for commits of others every 20 ms.
      const took = w.now() - began - 30 * 86_400_000
      w.check('not a moment later', took >= 0 && took <= 20, `${took}`)
    }),
  )
  // Made every 20 to 200 ms, polls alone would be millions.
  expect(result.steps).toBeLessThan(100)
})

it('B76: what was resumed is told from what was dropped, in a file and by a ledger', async () => {
  const trip = defineWorkflow({ name: 'trip', lockExpiry }, async (_: undefined, { call }) => {
    const legs = [await call(beat, 1), await call(beat, 2), await call(beat, 3)]
    return legs.length
  })
  const result = await explore(
    {
      functions: [beat, trip],
      activities: beats,
      store: 'file',
      faults: { crash: 0.05, crashAtCommit: 0.2 },
      runs: 40,
      marks: ['crashed'],
    },
    async (w) => {
      const handle = await w.submit(trip, undefined, { id: 'trip' })
      w.check('it ends', (await handle.result()) === 3)
      w.sometimes('crashed', (w.faults()['crashAtCommit'] ?? 0) > 0)
      const keys = new Set(w.ledger.entries('beat').map(({ key }) => key))
      w.check('three legs, each under a key of its own', keys.size === 3, [...keys].join())
    },
  )
  expect(result.ok, result.report()).toBe(true)
})

it('deaf: with every notice dropped everything still completes', async () => {
  const chain = defineWorkflow(
    { name: 'chain', lockExpiry },
    async (_: undefined, { call, sleep }) => {
      await call(beat, 1)
      await sleep('1 minute')
      return call(beat, 2)
    },
  )
  const faults = { dropNotice: 1, missForeign: 1 }
  const options = { functions: [beat, chain], activities: beats, engines: { count: 2 }, faults }
  const result = await explore({ ...options, runs: 30 }, async (w) => {
    const handle = await w.submit(chain)
    w.check('it ends', (await handle.result()) === 2)
    w.check('nothing was told', (w.faults()['dropNotice'] ?? 0) > 0)
  })
  expect(result.ok, result.report()).toBe(true)
})
