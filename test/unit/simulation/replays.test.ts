import { createEngine, defineActivity, defineWorkflow, type Engine } from 'stele'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPartedReplays } from '../../../src/simulation/replays.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const flow = defineWorkflow({ name: 'flow' }, (_: undefined, { call }) => call(charge, 1))
const parent = defineWorkflow({ name: 'parent' }, (_: undefined, { call }) => call(flow))
const functions = [charge, flow, parent]

let engine: Engine

beforeEach(async () => {
  engine = await createEngine({ storage: ':memory:', functions, logger: false })
  await engine.start()
})

afterEach(async () => {
  await engine.stop()
})

const find = (code: typeof functions) => findPartedReplays(engine, { functions: code, engines: {} })

describe('replays at the end', () => {
  it('find nothing where code and log agree', async () => {
    await (await engine.submit(parent)).result()
    expect(await find(functions)).toEqual([])
  })

  it('find nothing where nothing was executed', async () => {
    expect(await find(functions)).toEqual([])
  })

  it('name each workflow that has parted from its log, children too', async () => {
    await (await engine.submit(parent, undefined, { id: 'p' })).result()
    const other = defineWorkflow({ name: 'flow' }, async (_: undefined, { sleep }) => {
      await sleep('1s')
      return 1
    })
    const found = await find([charge, other, parent] as unknown as typeof functions)
    expect(found.map(({ invariant }) => invariant)).toEqual(['a replay does what the log says'])
    expect(found[0]?.message).toMatch(/^p\./)
  })

  it('leave activities alone', async () => {
    await (await engine.submit(charge, 1)).result()
    const other = defineActivity({ name: 'charge' }, () => 5)
    expect(await find([other, flow, parent] as unknown as typeof functions)).toEqual([])
  })
})
