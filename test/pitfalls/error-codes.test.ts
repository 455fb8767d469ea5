/** Every code of the table is provoked through the public face, as a user would meet it. */

import { writeFileSync } from 'node:fs'
import {
  type ActivityContext,
  checkReplay,
  createEngine,
  defineActivity,
  defineWorkflow,
  type ErrorCode,
  functionRef,
  isSteleError,
  type LogView,
  unchecked,
  type WorkflowContext,
} from 'stele'
import { chartOf, openViewer } from 'stele/inspector'
import { requireOk, type Scenario, simulate } from 'stele/simulation'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../src/base/error.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../src/storage/sqlite/drive.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { testEnvironment } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const charge = defineActivity({ name: 'charge', retry: { maxRetries: 0 } }, (amount: number) => {
  if (amount < 0) throw new Error('negative')
  return amount
})
const refused = defineActivity(
  {
    name: 'refused',
    input: {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'no' }] }),
      },
    },
  },
  () => 1,
)
const approve = defineActivity({ name: 'approve' }).stub()

/** What the code of a workflow throws, as that code itself meets it. */
async function thrownInWorkflow(run: (context: WorkflowContext) => unknown): Promise<void> {
  let thrown: unknown
  const flow = defineWorkflow({ name: 'flow' }, async (_: undefined, context) => {
    try {
      await run(context)
    } catch (error) {
      thrown = error
    }
  })
  await using world = await openTestEngine({ functions: [flow] })
  const handle = await world.engine.submit(flow)
  await world.settle()
  await handle.result({ timeout: 0 })
  throw thrown
}

/** The log of a workflow that sleeps, against code that does something else. */
async function replayOther(): Promise<void> {
  const before = defineWorkflow({ name: 'flow' }, (_: undefined, { sleep }) => sleep('1h'))
  await using world = await openTestEngine({ functions: [before] })
  const handle = await world.engine.submit(before)
  await world.settle()
  const log: LogView = await handle.log()
  const after = defineWorkflow({ name: 'flow' }, (_: undefined, { call }) => call(charge, 1))
  await checkReplay(after, log)
}

/** An engine, whatever it does next. */
async function withEngine(
  provoke: (world: Awaited<ReturnType<typeof openTestEngine>>) => Promise<unknown>,
): Promise<void> {
  await using world = await openTestEngine({ functions: [charge, approve] })
  await provoke(world)
}

/** A database file whose connection is prepared with a pragma, behind an engine. */
async function withPragma(pragma: string): Promise<void> {
  using folder = temporaryDirectory()
  const file = folder.file('x.db')
  const environment = testEnvironment()
  await (await openSqlite({ file }, environment)).close()
  const connection = openConnection(file, 0)
  connection.readPragma(pragma)
  const driver = createSqliteDriver({ connection, file, ...environment })
  const storage = { open: () => Promise.resolve(driver) }
  const engine = await createEngine({ storage, logger: false })
  try {
    const many = Array.from({ length: 10 }, () => 'x'.repeat(100_000))
    await engine.submitMany(functionRef('charge'), many as never)
  } finally {
    await engine.stop()
  }
}

/** What a simulation ends with, as whoever runs it meets it. */
async function thrownInSimulation(scenario: Scenario): Promise<void> {
  const { failure } = await simulate({ functions: [charge] }, scenario)
  throw failure?.cause
}

async function openFile(prepare: (file: string) => Promise<void> | void): Promise<void> {
  using folder = temporaryDirectory()
  const file = folder.file('x.db')
  await prepare(file)
  await createEngine({ storage: file, logger: false })
}

const provocations: Readonly<Partial<Record<ErrorCode, () => unknown>>> = {
  execution_failed: () =>
    withEngine(async ({ engine, settle }) => {
      const handle = await engine.submit(charge, -1)
      await settle()
      await handle.result({ timeout: 0 })
    }),
  result_timeout: () =>
    withEngine(async ({ engine, advance }) => {
      const handle = await engine.submit(approve)
      const waiting = handle.result({ timeout: '1s' })
      await Promise.all([waiting, advance(1_000)])
    }),
  execution_not_found: () => withEngine(({ engine }) => engine.get('nobody')),
  delay_not_found: () => withEngine(({ engine }) => engine.delay('Delay_a.n:x_1').cancel()),
  execution_id_conflict: () =>
    withEngine(async ({ engine }) => {
      await engine.submit(charge, 1, { id: 'x' })
      await engine.submit(charge, 2, { id: 'x' })
    }),
  invalid_execution_id: () => withEngine(({ engine }) => engine.submit(charge, 1, { id: 'a.b' })),
  invalid_name: () => defineActivity({ name: '1st' }, () => 1),
  already_finished: () =>
    withEngine(async ({ engine }) => {
      const { id } = await engine.submit(approve)
      await engine.complete(id, { type: 'ok', value: undefined })
      await engine.complete(id, { type: 'err', value: 'no' })
    }),
  illegal_state: () =>
    withEngine(async ({ engine }) => (await engine.submit(charge, 1, { delay: '1h' })).unpause()),
  unknown_function: () => withEngine(({ engine }) => engine.submit({ name: 'x' } as never)),
  invalid_input: () => withEngine(({ engine }) => engine.submit(refused)),
  value_not_storable: () => withEngine(({ engine }) => engine.submit(charge, (() => 1) as never)),
  value_unreadable: async () => {
    const codec = { encode: () => null, decode: () => JSON.parse('{') as unknown }
    await using world = await openTestEngine({ functions: [approve], codec })
    const stub = await world.engine.submit(approve, undefined, { id: 'stub' })
    await world.engine.complete('stub', { type: 'ok', value: 1 })
    await stub.result()
  },
  value_too_large: () =>
    withEngine(({ engine }) => engine.submit(charge, 'x'.repeat(3_000_000) as never)),
  unknown_channel: async () => {
    const messages = { go: unchecked<number>() }
    const flow = defineWorkflow({ name: 'flow', messages }, (_: undefined, { sleep }) =>
      sleep('1h'),
    )
    await using world = await openTestEngine({ functions: [flow] })
    const handle = await world.engine.submit(flow)
    await handle.send('come' as 'go', 1)
  },
  nondeterminism: replayOther,
  forbidden_in_workflow: () => thrownInWorkflow(() => setTimeout(() => undefined, 1)),
  outside_of_simulation: () => thrownInSimulation(() => fetch('https://bank.example')),
  simulation_failed: async () => {
    const scenario: Scenario = (world) => world.check('money is enough', false)
    requireOk(await simulate({ functions: [charge] }, scenario))
  },
  join_set_closed: () =>
    thrownInWorkflow(async ({ joinSet }) => {
      const set = joinSet('boxes')
      await set.close()
      set.delay('1h')
    }),
  join_set_exhausted: () => thrownInWorkflow(({ joinSet }) => joinSet('boxes').next()),
  lock_lost: async () => {
    let given: ActivityContext | undefined
    const wait = defineActivity({ name: 'wait' }, (_: undefined, context) => {
      given = context
      return new Promise(() => undefined)
    })
    await using world = await openTestEngine({ functions: [wait] })
    const handle = await world.engine.submit(wait)
    await world.settle()
    await handle.cancel()
    await given?.heartbeat()
  },
  storage_unavailable: () => createEngine({ storage: '/nowhere/at/all/x.db', logger: false }),
  storage_full: () => withPragma('max_page_count = 60'),
  storage_read_only: () => withPragma('query_only = 1'),
  storage_corrupt: () =>
    openFile((file) => {
      writeFileSync(file, 'this is a text, and by no means a database '.repeat(100))
    }),
  schema_too_new: () =>
    openFile(async (file) => {
      await (await openSqlite({ file }, testEnvironment())).close()
      const connection = openConnection(file, 0)
      connection.readPragma('user_version = 999')
      connection.close()
    }),
  engine_stopped: () =>
    withEngine(async ({ engine, stop }) => {
      await stop()
      await engine.list()
    }),
  viewer_unavailable: () =>
    // An address of the block that is kept for examples: no machine has it.
    openViewer({
      storage: ':memory:',
      host: '192.0.2.1',
      token: 'sixteen-letters-',
      actions: true,
    }),
  invalid_machine: () =>
    chartOf({ id: 'broken', initial: 'on', states: { on: { on: { GO: 'nowhere' } } } }),
  invalid_option: () => createEngine({ storage: ':memory:', fuctions: [] } as never),
  internal: () => charge['~types'](1),
}

async function provoked(code: ErrorCode): Promise<unknown> {
  try {
    await provocations[code]?.()
  } catch (error) {
    return error
  }
  return undefined
}

describe('error codes', () => {
  it('table: each code is provoked here', () => {
    expect(Object.keys(provocations).sort()).toEqual(Object.keys(errorTable).sort())
  })

  it.each(Object.keys(provocations) as readonly ErrorCode[])('%s', async (code) => {
    const error = await provoked(code)
    expect(isSteleError(error), String(error)).toBe(true)
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S.*\./s) })
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code })
  })
})
