/** What failed once and was repaired does not fail again: by its tape, not by its seed. */

import { simulate } from 'stele/simulation'
import { describe, expect, it } from 'vitest'
import { listTapes, parseTape, readTape } from './tapes.ts'
import { worlds } from './worlds/index.ts'

const names = listTapes()

describe('tapes', () => {
  it('kept: there are some, and each can be read', () => {
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(readTape(name).invariant, name).not.toBe('')
  })

  it.each([
    ['{"format":1}', /not a repro/],
    ['{"format":1,"seed":1,"invariant":"x","tapes":{},"world":"none"}', /no world "none"/],
    ['{"format":1,"seed":1,"invariant":"x","tapes":{},"world":"shop"}', /no level/],
  ])('refused: what is no tape of a world, such as %s', (text, reason) => {
    expect(() => parseTape(text)).toThrow(reason)
  })

  it.each(names)('replayed: %s does not fail any more', async (name) => {
    const { world, faults, seed, tapes } = readTape(name)
    const found = worlds[world]
    if (found === undefined) throw new Error(`there is no world ${world}`)
    const result = await simulate({ ...found.options, faults, seed, tapes }, found.scenario)
    expect(result.ok, result.report()).toBe(true)
    expect(result.commits, 'the tape plays nothing').toBeGreaterThan(0)
  })
})
