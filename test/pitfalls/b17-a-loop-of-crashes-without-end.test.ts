import { expect, it } from 'vitest'
import { openStage, type Puppet, type Stage } from '../crash/puppets.ts'
import { until } from '../crash/workers.ts'

const options = {
  // Others are in the hands of those that die, too.
  executor: { tickSleep: 50, lockExpiry: 400 },
  timersWatcher: { leeway: 20, tickSleep: 50 },
  // Whoever shares its lock with the fatal one may die as often before it gets anywhere.
  limits: { crashesWithoutProgress: 5 },
}

const timeout = 90_000

/** Keeps one process alive until it holds, as a supervisor would. Gives how many it took. */
async function superviseUntil(stage: Stage, holds: () => Promise<boolean>): Promise<number> {
  let lives = 0
  let alive: Puppet | undefined
  await until(async () => {
    if (alive === undefined) {
      lives += 1
      const entered = await stage.enter()
      alive = entered
      void entered.gone.then(() => {
        alive = undefined
      })
      await entered.ask('open', options)
      await entered.ask('start')
    }
    return holds()
  }, 40_000)
  return lives
}

async function enterClient(stage: Stage): Promise<Puppet> {
  const client = await stage.enter()
  await client.ask('open')
  return client
}

it('B17: a workflow that kills its process is paused, with the reason; others go on', {
  timeout,
}, async () => {
  await using stage = openStage()
  const client = await enterClient(stage)
  const id = await client.ask('submit', 'fatal')
  const others = await client.ask('submitMany', 'order', [1, 2, 3])
  const lives = await superviseUntil(stage, async () => (await client.ask('state', id)).paused)
  const kills = stage.ledger().filter(({ executionId }) => executionId === id)
  expect(kills).toHaveLength(options.limits.crashesWithoutProgress)
  expect(lives).toBeLessThanOrEqual(options.limits.crashesWithoutProgress + 1)
  const { waitingFor, problems } = await client.ask('explain', id)
  expect(waitingFor).toBe('unpause')
  expect(problems).toEqual([expect.stringContaining('5 runs')])
  for (const other of others) {
    expect(await client.ask('outcome', other, { timeout: '20s' })).toMatchObject({ type: 'ok' })
  }
  await stage.check()
})

it('B17: an activity that kills its process ends when its attempts are used up', {
  timeout,
}, async () => {
  await using stage = openStage()
  const client = await enterClient(stage)
  const id = await client.ask('submit', 'deadly')
  const others = await client.ask('submitMany', 'order', [1, 2, 3])
  const isOver = async () => (await client.ask('state', id)).status === 'finished'
  const lives = await superviseUntil(stage, isOver)
  const attempts = stage.ledger().filter(({ executionId }) => executionId === id)
  expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  expect(lives).toBeLessThanOrEqual(4)
  expect(await client.ask('outcome', id)).toEqual({ type: 'execution_failure', kind: 'timed_out' })
  for (const other of others) {
    expect(await client.ask('outcome', other, { timeout: '20s' })).toMatchObject({ type: 'ok' })
  }
  await stage.check()
})
