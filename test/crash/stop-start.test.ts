/** Stopping and starting in real processes: what is held is given back at once, and nothing twice. */

import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openStage, type Puppet, type Stage } from './puppets.ts'
import { until } from './workers.ts'

/** Far longer than any of these tests: nobody may wait for a lock to expire. */
const lockExpiry = '10 minutes'
const executor = { lockExpiry }

async function enterStarted(stage: Stage, options: object = { executor }): Promise<Puppet> {
  const puppet = await stage.enter()
  await puppet.ask('open', options)
  await puppet.ask('start')
  return puppet
}

const begun = (stage: Stage, pid: number): number =>
  stage.ledger().filter((deed) => deed.kind === 'begin' && deed.pid === pid).length

it('stop under load: everything held is given back at once, another takes over', async () => {
  await using stage = openStage()
  const first = await enterStarted(stage)
  const count = 40
  const ids = await first.ask('submitMany', 'long', Array(count).fill(0))
  await until(() => begun(stage, first.pid) === count)
  const second = await enterStarted(stage)
  const stoppedAt = Date.now()
  await first.ask('stop', { timeout: 0 })
  const stopTook = Date.now() - stoppedAt
  await until(() => begun(stage, second.pid) === count)
  const tookOver = Date.now() - stoppedAt
  console.log(`stop: gave back ${count} in ${stopTook} ms, all run elsewhere after ${tookOver} ms`)
  expect(stopTook).toBeLessThan(5_000)
  expect(tookOver).toBeLessThan(8_000)
  const aborts = stage.ledger().filter(({ kind }) => kind === 'abort')
  expect(aborts).toHaveLength(count)
  expect(new Set(aborts.map(({ code }) => code))).toEqual(new Set(['engine_stopped']))
  for (const id of ids) {
    expect(await second.ask('state', id)).toMatchObject({ status: 'locked', attempt: 1 })
    expect(await second.ask('types', id)).toEqual(['created', 'locked', 'unlocked', 'locked'])
  }
  await second.ask('stop', { timeout: 0 })
  expect(await first.ask('uncaught')).toEqual([])
  await stage.check()
})

it('stop: what ignores its signal is given back all the same, uncounted', async () => {
  await using stage = openStage()
  const first = await enterStarted(stage)
  const id = await first.ask('submit', 'deaf')
  await until(() => begun(stage, first.pid) === 1)
  const stoppedAt = Date.now()
  await first.ask('stop', { timeout: 0 })
  expect(Date.now() - stoppedAt).toBeLessThan(5_000)
  const second = await enterStarted(stage)
  await until(() => begun(stage, second.pid) === 1)
  expect(await second.ask('state', id)).toMatchObject({ status: 'locked', attempt: 1 })
})

it('stop: what ends within the timeout is kept, and nothing new is taken', async () => {
  await using stage = openStage()
  const first = await enterStarted(stage, { executor: { ...executor, concurrency: 2 } })
  const ids = await first.ask('submitMany', 'brief', [600, 600, 600, 600])
  await until(() => begun(stage, first.pid) === 2)
  await first.ask('stop', { timeout: '20s' })
  expect(begun(stage, first.pid)).toBe(2)
  const second = await enterStarted(stage)
  const states = await Promise.all(ids.map((id) => second.ask('state', id)))
  expect(states.filter(({ status }) => status === 'finished')).toHaveLength(2)
  for (const id of ids) await second.ask('outcome', id, { timeout: '10s' })
  expect(stage.ledger().filter(({ kind }) => kind === 'begin')).toHaveLength(4)
  await first.ask('leave')
  expect(await first.gone).toEqual({ code: 0, signal: null })
})

it('start and stop, twice each and across each other', async () => {
  await using stage = openStage()
  const puppet = await stage.enter()
  await puppet.ask('open')
  await Promise.all([puppet.ask('start'), puppet.ask('start')])
  const id = await puppet.ask('submit', 'echo', 1)
  expect(await puppet.ask('outcome', id)).toEqual({ type: 'ok', value: 1 })
  await Promise.all([puppet.ask('stop'), puppet.ask('stop')])
  await puppet.ask('stop')
  await expect(puppet.ask('start')).rejects.toMatchObject({ code: 'engine_stopped' })
  for (let round = 0; round < 5; round += 1) {
    await puppet.ask('open')
    const starting = puppet.ask('start')
    const stopping = puppet.ask('stop')
    await Promise.all([starting, stopping])
    await expect(puppet.ask('submit', 'echo', 1)).rejects.toMatchObject({ code: 'engine_stopped' })
  }
  expect(stage.ledger().filter(({ kind }) => kind === 'begin')).toHaveLength(1)
  expect(await puppet.ask('uncaught')).toEqual([])
  await puppet.ask('leave')
  expect(await puppet.gone).toEqual({ code: 0, signal: null })
})

it('stop: with the storage away it still ends, and what could not be given back expires', async () => {
  await using stage = openStage()
  const first = await enterStarted(stage, { executor: { lockExpiry: 1_500 } })
  const id = await first.ask('submit', 'brief', 200)
  await until(() => begun(stage, first.pid) === 1)
  const away = `${stage.path}/away.db`
  renameSync(stage.file, away)
  const stoppedAt = Date.now()
  await first.ask('stop', { timeout: '1s' })
  expect(Date.now() - stoppedAt).toBeLessThan(10_000)
  expect(await first.ask('uncaught')).toEqual([])
  await first.ask('leave')
  expect(await first.gone).toEqual({ code: 0, signal: null })
  renameSync(away, stage.file)
  const second = await enterStarted(stage)
  expect(await second.ask('outcome', id, { timeout: '20s' })).toMatchObject({ type: 'ok' })
  expect(await second.ask('state', id)).toMatchObject({ attempt: 2 })
  await second.ask('stop')
  await stage.check()
})
