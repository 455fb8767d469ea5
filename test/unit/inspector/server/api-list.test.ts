/** The list: filters, pages. */

import { defineActivity } from 'stele'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Viewer } from '../../../../src/inspector/server/open-viewer.ts'
import type { ListAnswer } from '../../../../src/inspector/server/wire.ts'
import { askViewer, openTestViewer } from '../../../support/viewer.ts'
import { openTestEngine, type TestEngine } from '../../client/test-engine.ts'

const one = defineActivity({ name: 'one' }, (input: number) => input)
const other = defineActivity({ name: 'other' }, (input: number) => input)

let world: TestEngine
let viewer: Viewer

beforeAll(async () => {
  world = await openTestEngine({ functions: [one, other], started: false })
  viewer = await openTestViewer({ engine: world.engine })
  for (let index = 0; index < 5; index += 1) {
    await world.engine.submit(index < 3 ? one : other, index, { id: `e-${index}` })
    world.clock.set((index + 1) * 1_000)
  }
  await (await world.engine.get('e-1')).pause()
})

afterAll(async () => {
  await viewer.close()
  await world.stop()
})

async function list(query: string): Promise<ListAnswer> {
  return (await askViewer(viewer, `/api/executions?${query}`)).json() as ListAnswer
}

const idsOf = ({ items }: ListAnswer): readonly string[] => items.map(({ id }) => id)

test.each([
  ['', ['e-4', 'e-3', 'e-2', 'e-1', 'e-0']],
  ['function=other', ['e-4', 'e-3']],
  ['status=pending_at&paused=true', ['e-1']],
  ['status=finished', []],
  ['prefix=e-2', ['e-2']],
  ['from=1000&before=3000', ['e-2', 'e-1']],
])('%s', async (query, ids) => {
  expect(idsOf(await list(query))).toEqual(ids)
})

test('pages follow each other to the end', async () => {
  const first = await list('limit=2')
  expect(idsOf(first)).toEqual(['e-4', 'e-3'])
  const second = await list(`limit=2&after=${first.next ?? ''}`)
  expect(idsOf(second)).toEqual(['e-2', 'e-1'])
  const third = await list(`limit=2&after=${second.next ?? ''}`)
  expect(idsOf(third)).toEqual(['e-0'])
  expect(third.next).toBeUndefined()
})

test('a cursor that is none is refused', async () => {
  expect((await askViewer(viewer, '/api/executions?after=x')).status).toBe(400)
})
