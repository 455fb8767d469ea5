/**
 * What the crash tests look at can tell the three ends of a killed process apart: work that was
 * resumed, that was begun again from its beginning, and that was lost. Each is brought about here.
 */

import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openStage, type Puppet, type Stage } from '../crash/puppets.ts'
import { until } from '../crash/workers.ts'

type Verdict = 'resumed' | 'begun again' | 'dropped'

const options = { executor: { lockExpiry: 300 }, timersWatcher: { leeway: 20 } }
const timeout = 60_000

async function enterStarted(stage: Stage, more: object = {}): Promise<Puppet> {
  const puppet = await stage.enter()
  await puppet.ask('open', { ...options, ...more })
  await puppet.ask('start')
  return puppet
}

/** By the ledger and the database alone, as the crash tests judge. */
async function judge(stage: Stage, puppet: Puppet, id: string): Promise<Verdict> {
  const outcome = await puppet.ask('outcome', id, { timeout: '20s' }).catch(() => undefined)
  if (outcome?.type !== 'ok') return 'dropped'
  const calls = stage.ledger().filter(({ kind }) => kind === 'begin')
  return calls.length === 1 ? 'resumed' : 'begun again'
}

/** Kills a process in the middle of a workflow, whose first effect is in the ledger. */
async function killInTheMiddle(stage: Stage, more: object = {}): Promise<string> {
  const first = await enterStarted(stage, more)
  const id = await first.ask('submit', 'order', 1, { id: 'o' })
  // It goes on by a sleep and a message that nobody sends; the effect is behind it.
  await until(() => stage.ledger().some(({ kind }) => kind === 'end'))
  await until(async () => (await first.ask('types', id)).includes('step_finished'))
  await first.kill()
  return id
}

describe('B76: a process is killed in the middle of a workflow', () => {
  it('B76: with its database, the next one resumes it', { timeout }, async () => {
    await using stage = openStage()
    const id = await killInTheMiddle(stage)
    const second = await enterStarted(stage)
    expect(await judge(stage, second, id)).toBe('resumed')
    await second.ask('stop')
    await stage.check()
  })

  it('B76: with a database in memory it is dropped, and that is seen', { timeout }, async () => {
    await using stage = openStage()
    const id = await killInTheMiddle(stage, { storage: ':memory:' })
    const second = await enterStarted(stage)
    expect(await judge(stage, second, id)).toBe('dropped')
  })

  it('B76: submitted once more after a loss, it begins again, and that is seen', {
    timeout,
  }, async () => {
    await using stage = openStage()
    const id = await killInTheMiddle(stage)
    for (const suffix of ['', '-wal', '-shm']) rmSync(stage.file + suffix, { force: true })
    const second = await enterStarted(stage)
    await second.ask('submit', 'order', 1, { id })
    expect(await judge(stage, second, id)).toBe('begun again')
  })
})
