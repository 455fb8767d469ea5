/** Code around a call, from the text that was kept when the call was made. */

import { createEngine, defineWorkflow } from 'stele'
import { expect, test } from 'vitest'
import type { CodeAnswer, EventsAnswer } from '../../../../src/inspector/server/wire.ts'
import { askViewer, openTestViewer } from '../../../support/viewer.ts'

const nap = defineWorkflow({ name: 'nap' }, async (_: undefined, { step }) => {
  return step('meant', () => 'this very line')
})

test('gives the lines around a call, and nothing for a text that was not kept', async () => {
  await using engine = await createEngine({
    storage: ':memory:',
    functions: [nap],
    logger: false,
    sourceLines: true,
  })
  await engine.start()
  await (await engine.submit(nap, undefined, { id: 'nap' })).result()
  const viewer = await openTestViewer({ engine })
  const ask = async <Answer>(path: string): Promise<Answer> =>
    (await askViewer(viewer, path)).json() as Answer
  const { events } = await ask<EventsAnswer>('/api/events?id=nap')
  const { source, fields } = events.find(({ type }) => type === 'step_finished') ?? { fields: [] }
  expect(fields.map(({ name }) => name)).not.toContain('source')
  const { hash = '', line = 0 } = source ?? {}
  const { from, lines } = await ask<CodeAnswer>(`/api/code?hash=${hash}&line=${line}`)
  // The test runner moves lines a little: the window has it all the same.
  expect(lines.join('\n')).toContain("step('meant'")
  expect(from).toBe(Math.max(1, line - 8))
  expect(lines.length).toBeLessThanOrEqual(17)
  expect(await ask<CodeAnswer>('/api/code?hash=none&line=3')).toEqual({ from: 1, lines: [] })
  expect((await askViewer(viewer, '/api/code?line=3')).status).toBe(400)
  await viewer.close()
})
