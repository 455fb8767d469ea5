import { defineActivity, defineWorkflow } from 'stele'
import { expect, it } from 'vitest'
import { openStage } from '../crash/puppets.ts'
import { until } from '../crash/workers.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const timers = 5_000
/** Of these so many are delays of workflows that sleep; the others are scheduled activities. */
const sleeps = Number(process.env['STELE_B30_SLEEPS'] ?? 500)
const hour = 3_600_000
const limit = 60_000

const timer = defineWorkflow({ name: 'timer' }, (duration: number, { sleep }) => sleep(duration))
const echo = defineActivity({ name: 'echo' }, (input: number) => input)

/** An evening hours ago, at the end of which the process was gone. */
async function fallAsleep(file: string): Promise<readonly string[]> {
  const time = createTestTime()
  time.clock.set(Date.now() - 2 * hour)
  const functions = [timer, echo]
  await using world = await openTestEngine({ functions, file, time, limits: { warmRuns: 0 } })
  const asleep = await world.engine.submitMany(timer, Array<number>(sleeps).fill(hour))
  const inputs = Array.from({ length: timers - sleeps }, (_, index) => index)
  const scheduled = await world.engine.submitMany(echo, inputs, { delay: hour })
  await world.advance(1_000)
  const { items } = await world.engine.list({ status: 'blocked' }, { limit: 1 })
  expect(items).toHaveLength(Math.min(1, sleeps))
  return [...asleep, ...scheduled].map(({ id }) => id)
}

it('B30: 5,000 timers that became due while nobody ran fire once each, with two that start', {
  timeout: 2 * limit,
}, async () => {
  await using stage = openStage()
  const ids = await fallAsleep(stage.file)
  const puppets = await Promise.all([stage.enter(), stage.enter()])
  await Promise.all(puppets.map((puppet) => puppet.ask('open')))
  const startedAt = Date.now()
  await Promise.all(puppets.map((puppet) => puppet.ask('start')))
  const finished = async () => puppets[0].ask('count', { status: 'finished' })
  await until(async () => (await finished()) === timers, limit)
  console.log(`B30: ${timers} timers, all fired ${Date.now() - startedAt} ms after the start`)
  const fired = stage.ledger().filter(({ kind }) => kind === 'fired' || kind === 'begin')
  expect(fired.map(({ executionId }) => executionId).toSorted()).toEqual([...ids].toSorted())
  for (const puppet of puppets) await puppet.ask('stop')
  await stage.check()
})
