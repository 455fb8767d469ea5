/** Watching changes nothing: with an inspector, a hostile one too, every log is the same. */

import * as fc from 'fast-check'
import { defineActivity, defineWorkflow, err, type LogView } from 'stele'
import { inspector } from 'stele/inspector'
import { expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import type { Inspector } from '../../src/engine/engine-context.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

type Deed = 'ok' | 'err' | 'throw' | 'slow'

/** What each attempt of each execution does; beyond its end all goes well. */
type Script = readonly (readonly Deed[])[]

const play = defineActivity(
  { name: 'play', retry: { maxRetries: 3, backoff: 100 }, timeout: '1s' },
  async (deeds: readonly Deed[], { attempt }) => {
    const deed = deeds[attempt - 1] ?? 'ok'
    if (deed === 'throw') throw new TypeError('no')
    if (deed === 'slow') await new Promise(() => undefined)
    return deed === 'err' ? err('no') : 'done'
  },
)
const playAll = defineWorkflow({ name: 'playAll' }, async (script: Script, { outcome }) => {
  const outcomes = await Promise.all(script.map((deeds) => outcome(play, deeds)))
  return outcomes.map(({ type }) => type)
})

async function logsOf(script: Script, inspect?: Inspector): Promise<readonly LogView[]> {
  await using world = await openTestEngine({
    functions: [play, playAll],
    random: createRandom(1),
    executor: { tickSleep: '5s' },
    timersWatcher: { tickSleep: '5s', leeway: 0 },
    ...(inspect === undefined ? {} : { inspect }),
  })
  const { engine } = world
  await engine.submit(playAll, script, { id: 'all' })
  await world.advance(10_000)
  const { items } = await engine.list({})
  const handles = await Promise.all(items.map(({ id }) => engine.get(id)))
  const logs = await Promise.all(handles.map((handle) => handle.log()))
  return logs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const deed = fc.constantFrom<Deed>('ok', 'err', 'throw', 'slow')
const script = fc.array(fc.array(deed, { maxLength: 4 }), { minLength: 1, maxLength: 4 })

it('a log is the same whether somebody watches or not', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (deeds) => {
      const unwatched = await logsOf(deeds)
      const frames: unknown[] = []
      const seen = inspector({ onFrame: (frame) => frames.push(frame) })
      expect(await logsOf(deeds, seen)).toEqual(unwatched)
      expect(frames.length).toBeGreaterThan(10)
      const hostile = inspector({
        onFrame: () => {
          throw new TypeError('no')
        },
        redact: () => {
          throw new TypeError('no')
        },
      })
      expect(await logsOf(deeds, hostile)).toEqual(unwatched)
    }),
    { seed: 20_261_203, numRuns: 10 },
  )
})
