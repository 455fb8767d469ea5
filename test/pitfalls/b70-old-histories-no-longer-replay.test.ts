/**
 * Logs that a version of ours has written are replayed by all later ones. `test/golden/current`
 * is what today's code writes; `npx vitest run … -u` writes it anew. With a release it is copied to
 * a directory of the release's name, which nobody writes to any more.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkReplay, type LogView } from 'stele'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { eventTypes } from '../../src/model/event.ts'
import { type Golden, goldenFunctions, goldenStart, goldens } from '../golden/workflows.ts'
import { memories } from '../seed/workflow-test.ts'
import { testEnvironment } from '../support/storage/opened-storage.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const root = fileURLToPath(new URL('../golden/', import.meta.url))
const releases = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The story told anew, by today's code. */
async function tellAnew({ tell }: Golden, limits: { readonly warmRuns: number }): Promise<LogView> {
  const environment = testEnvironment()
  environment.clock.set(goldenStart)
  await using world = await openTestEngine({
    functions: goldenFunctions,
    time: createTestTime(environment),
    limits,
    deployment: 'Dep_golden',
    random: createRandom(1),
    timersWatcher: { tickSleep: '1 day' },
    executor: { tickSleep: '1 day' },
  })
  const handle = await tell(world)
  await world.check()
  return await handle.log()
}

/** As a file holds it; who ran it, and in which run, is nobody's history. */
function textOf(log: LogView): string {
  const isName = (key: string): boolean => key === 'executorId' || key === 'runId'
  const mask = (key: string, value: unknown): unknown => (isName(key) ? 'golden' : value)
  return `${JSON.stringify(log, mask, 2)}\n`
}

describe.each(goldens)('golden log: $name', (golden) => {
  it('B70: today’s code writes it to the letter', async () => {
    const [warm] = memories
    const log = await tellAnew(golden, warm.limits)
    await expect(textOf(log)).toMatchFileSnapshot(`${root}current/${golden.name}.json`)
  })

  it('B70: a cold engine does, too: what is replayed is what was done', async () => {
    const [warm, cold] = memories
    const cooled = await tellAnew(golden, cold.limits)
    expect(textOf(cooled)).toBe(textOf(await tellAnew(golden, warm.limits)))
  })

  it.each(releases)('B70: as %s wrote it, it replays', async (release) => {
    const file = `${root}${release}/${golden.name}.json`
    if (!existsSync(file)) return
    const log = JSON.parse(readFileSync(file, 'utf8')) as LogView
    const report = await checkReplay(golden.workflow, log, { functions: goldenFunctions })
    expect(report).toEqual({ events: log.events.length, end: golden.end })
    // And whatever had been written by any moment before.
    for (let length = 1; length < log.events.length; length += 1) {
      const events = log.events.slice(0, length)
      const options = { functions: goldenFunctions }
      const part = checkReplay(golden.workflow, { ...log, events }, options)
      expect(await part, `the first ${length} events`).toMatchObject({ events: length })
    }
  })
})

it('B70: between them the logs hold every event that workflows can cause', () => {
  const seen = new Set<string>()
  for (const { name } of goldens) {
    const log = JSON.parse(readFileSync(`${root}current/${name}.json`, 'utf8')) as LogView
    for (const { type } of log.events) seen.add(type)
  }
  // Upgrades need two versions of the code, and have tests of their own.
  const elsewhere = ['stub', 'macrostep', 'temporarily_failed', 'temporarily_timed_out']
  elsewhere.push('unlocked', 'upgrade_finished')
  const expected = eventTypes.filter((type) => !elsewhere.includes(type))
  expect([...seen].toSorted()).toEqual(expected.toSorted())
})
