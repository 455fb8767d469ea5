/**
 * A crowd: several processes submit, execute, cancel, send and read, all on one file. Small among
 * the tests, and as large as one likes by `npm run crowd`, which sets the two variables.
 */

import { expect, it } from 'vitest'
import {
  openStage,
  type Puppet,
  percentile,
  type Stage,
  showSpread,
  type Traffic,
} from './puppets.ts'
import { pause, until } from './workers.ts'

const processes = Number(process.env['STELE_CROWD_PROCESSES'] ?? 3)
const seconds = Number(process.env['STELE_CROWD_SECONDS'] ?? 3)
/** A large crowd says how far it is, every so many seconds. */
const secondsPerReport = 5
const drainLimit = 30_000 + 2_000 * seconds
/** What is aimed at, on a machine that does nothing else; asserted are generous multiples. */
const startAim = 50
const cancelAim = 200
const blockAim = 50
const patience = 20

it(`crowd: ${processes} processes for ${seconds} seconds`, {
  timeout: 1_000 * seconds + drainLimit + 60_000,
}, async () => {
  await using stage = openStage()
  const names = Array.from({ length: processes }, (_, index) => `${index}`)
  const puppets = await Promise.all(names.map((name) => stage.enter({ name })))
  await Promise.all(puppets.map((puppet) => puppet.ask('open')))
  await Promise.all(puppets.map((puppet) => puppet.ask('start')))
  // Looks at everything, and is not one of them.
  const viewer = await stage.enter()
  await viewer.ask('open')
  for (const puppet of puppets) await puppet.ask('forgetBlocks')
  const [traffic] = await Promise.all([runTraffic(puppets, names), report(viewer)])
  const blocks = await Promise.all(puppets.map((puppet) => puppet.ask('longestBlock')))
  await drain(viewer)
  expect(traffic.flatMap(({ errors }) => errors)).toEqual([])
  await checkTraffic(stage, viewer, traffic)
  for (const puppet of puppets) {
    expect(await puppet.ask('uncaught')).toEqual([])
    expect(await puppet.ask('log')).toEqual([])
  }
  await Promise.all(puppets.map((puppet) => puppet.ask('stop')))
  await stage.check()
  checkFigures(stage, traffic, blocks)
})

function runTraffic(
  puppets: readonly Puppet[],
  names: readonly string[],
): Promise<readonly Traffic[]> {
  return Promise.all(
    puppets.map((puppet, index) => {
      const peers = names.filter((_, other) => other !== index)
      return puppet.ask('traffic', { seconds, peers })
    }),
  )
}

/** Lines of progress, while the traffic goes on. */
async function report(viewer: Puppet): Promise<void> {
  for (let second = secondsPerReport; second < seconds; second += secondsPerReport) {
    await pause(1_000 * secondsPerReport)
    const all = await viewer.ask('count', { children: true })
    const finished = await viewer.ask('count', { children: true, status: 'finished' })
    console.log(`crowd: ${second} of ${seconds} s, ${finished} of ${all} executions finished`)
  }
}

/** Everything ends by itself, or was cancelled. */
async function drain(viewer: Puppet): Promise<void> {
  await until(async () => {
    const all = await viewer.ask('count', { children: true })
    return (await viewer.ask('count', { children: true, status: 'finished' })) === all
  }, drainLimit)
}

async function checkTraffic(
  stage: Stage,
  viewer: Puppet,
  traffic: readonly Traffic[],
): Promise<void> {
  const ids = traffic.flatMap((one) => one.ids)
  expect(ids.length).toBeGreaterThan(10 * processes)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await viewer.ask('count')).toBe(ids.length)
  for (const id of ids) {
    const state = await viewer.ask('state', id)
    expect(state.status, id).toBe('finished')
  }
  const ok = await viewer.ask('count', { outcome: 'ok' })
  const cancelled = await viewer.ask('count', { outcome: 'execution_failure' })
  expect(ok + cancelled).toBe(ids.length)
  // Nothing ran twice, since nobody died.
  const begun = stage.ledger().filter(({ kind }) => kind === 'begin')
  expect(new Set(begun.map((deed) => deed.executionId)).size).toBe(begun.length)
}

function checkFigures(stage: Stage, traffic: readonly Traffic[], blocks: readonly number[]): void {
  const ledger = stage.ledger()
  const starts = ledger.flatMap(({ delay }) => (delay === undefined ? [] : [delay]))
  const cancelledAt = new Map(
    traffic.flatMap(({ cancels }) => cancels).map(({ id, at }) => [id, at]),
  )
  const stops = ledger.flatMap(({ kind, executionId, at }) => {
    const asked = cancelledAt.get(executionId)
    return kind === 'abort' && asked !== undefined ? [at - asked] : []
  })
  const longest = blocks.map((block) => Math.round(block))
  const count = traffic.flatMap(({ ids }) => ids).length
  console.log(`crowd: ${count} submitted, ${Math.round(count / seconds)} a second
  submitted here, begun there: ${showSpread(starts)}; aim ${startAim} ms
  cancelled here, stopped there: ${showSpread(stops)}; aim ${cancelAim} ms
  longest blocks of the event loops: ${longest.join(', ')} ms; aim ${blockAim} ms`)
  expect(starts.length).toBeGreaterThan(processes)
  expect(stops).toHaveLength(cancelledAt.size)
  expect(percentile(starts, 0.5)).toBeLessThan(patience * startAim)
  expect(percentile(stops, 0.5)).toBeLessThan(patience * cancelAim)
}
