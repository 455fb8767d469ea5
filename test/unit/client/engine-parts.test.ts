import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type AnyFunction,
  checkReplay,
  defineActivity,
  defineWorkflow,
  type Implemented,
  type WorkflowContext,
} from 'stele'
import { afterAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/client/create-engine.ts'
import type { EventView } from '../../../src/client/view.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, type TestEngineOptions } from './test-engine.ts'

type FlowHandler = (input: unknown, context: WorkflowContext) => Promise<number>

const never = (): Promise<never> => new Promise(() => undefined)

function open(
  functions: readonly (AnyFunction & Implemented)[],
): ReturnType<typeof openTestEngine> {
  return openTestEngine({ functions, executor: { concurrency: 1 } })
}

describe('permits', () => {
  it('workflows go on while activities have used up theirs', async () => {
    const slow = defineActivity({ name: 'slow' }, never)
    const nap = defineWorkflow({ name: 'nap' }, async (_, { sleep }) => {
      await sleep('1s')
      return 'awake'
    })
    await using test = await open([slow, nap])
    await test.engine.submit(slow)
    await test.advance(10)
    const handle = await test.engine.submit(nap)
    await test.advance(2_000)
    await expect(handle.result({ timeout: 0 })).resolves.toBe('awake')
  })

  it('activities of one engine keep to its concurrency', async () => {
    let running = 0
    let most = 0
    const work = defineActivity({ name: 'work' }, async () => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
    })
    await using test = await open([work])
    await test.engine.submitMany(work, [undefined, undefined, undefined])
    await test.advance(1_000)
    expect(most).toBe(1)
  })
})

describe('a workflow that waits', () => {
  it('is paused with the reason when its code turns out to wait for something else', async () => {
    let wake = (): void => undefined
    const foreign = defineWorkflow({ name: 'foreign' }, async (_, { sleep, step }) => {
      const late = sleep('1 hour')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      await step('never', () => 1)
      await late
    })
    await using test = await open([foreign])
    const handle = await test.engine.submit(foreign)
    await test.advance(100)
    wake()
    await test.advance(100)
    await expect(handle.state()).resolves.toMatchObject({
      status: 'blocked',
      paused: true,
      reason: expect.stringContaining('a promise that is not of Stele'),
    })
  })
})

describe('source lines', () => {
  const directory = temporaryDirectory()
  afterAll(() => {
    directory[Symbol.dispose]()
  })
  const file = directory.file('flow.cjs')
  writeFileSync(
    file,
    `module.exports = async (_, { step, sleep, patched }) => {
      const one = await step('one', () => 1) // line 2
      await sleep('1s')
      return patched('late') ? one : 0
    }`,
  )
  // Loaded by Node itself: nothing transforms its lines. They are read when the first call is made.
  const handler = createRequire(file)(file) as FlowHandler
  const flow = defineWorkflow({ name: 'flow' }, handler)

  const linesOf = (events: readonly EventView[]): readonly string[] =>
    events.flatMap((event) =>
      'source' in event && event.source !== undefined ? [`${event.type} ${event.source.line}`] : [],
    )

  async function eventsOf(engine: Engine): Promise<readonly EventView[]> {
    return (await (await engine.get('a')).log()).events
  }

  async function run(options: TestEngineOptions): Promise<readonly EventView[]> {
    await using test = await openTestEngine({ functions: [flow], ...options })
    await test.engine.submit(flow, undefined, { id: 'a' })
    await test.advance(2_000)
    return await eventsOf(test.engine)
  }

  const lines = [
    'step_finished 2',
    'join_set_create 3',
    'join_set_request 3',
    'join_next 3',
    'patched 4',
  ]

  it('each event of a call says where it was made', async () => {
    expect(linesOf(await run({ sourceLines: true }))).toEqual(lines)
  })

  it('a workflow that is replayed at each wake-up says the same', async () => {
    const events = await run({ sourceLines: true, limits: { warmRuns: 0 } })
    expect(linesOf(events)).toEqual(lines)
  })

  it('code that has moved to other lines agrees with a log that has places', async () => {
    await using test = await openTestEngine({ functions: [flow], sourceLines: true })
    const handle = await test.engine.submit(flow, undefined, { id: 'a' })
    await test.advance(2_000)
    const moved = defineWorkflow({ name: 'flow' }, async (_, { step, sleep, patched }) => {
      const one = await step('one', () => 1)
      await sleep('1s')
      return patched('late') ? one : 0
    })
    expect(await checkReplay(moved, await handle.log())).toMatchObject({ end: 'finished' })
  })

  it('unless it is asked for, nothing says where', async () => {
    expect(linesOf(await run({}))).toEqual([])
  })

  it('apart from the places, the log is the same', async () => {
    const withPlaces = await run({ sourceLines: true, time: createTestTime() })
    const without = await run({ time: createTestTime() })
    const bare = withPlaces.map(({ ...event }) => {
      Reflect.deleteProperty(event, 'source')
      return event
    })
    const types = ({ type, version }: EventView): string => `${version} ${type}`
    expect(bare.map(types)).toEqual(without.map(types))
    expect(bare.filter(({ type }) => type === 'join_next')).toEqual(
      without.filter(({ type }) => type === 'join_next'),
    )
  })

  it('the text of the file is kept, and found by its hash', async () => {
    await using test = await openTestEngine({ functions: [flow], sourceLines: true })
    await test.engine.submit(flow, undefined, { id: 'a' })
    await test.advance(2_000)
    const first = (await eventsOf(test.engine)).find((event) => 'source' in event)
    const hash = first !== undefined && 'source' in first ? (first.source?.hash ?? '') : ''
    expect(await test.engine.source(hash)).toMatchObject({
      hash,
      file: expect.stringContaining('flow.cjs'),
      text: expect.stringContaining('// line 2'),
    })
    await expect(test.engine.source('nothing')).resolves.toBeUndefined()
  })

  it('a text beyond limits.sourceBytes is not kept; its places are', async () => {
    const limits = { sourceBytes: 10 }
    await using test = await openTestEngine({ functions: [flow], sourceLines: true, limits })
    await test.engine.submit(flow, undefined, { id: 'a' })
    await test.advance(2_000)
    const event = (await eventsOf(test.engine)).find((one) => 'source' in one)
    const source = event !== undefined && 'source' in event ? event.source : undefined
    expect(source?.line).toBe(2)
    expect(await test.engine.source(source?.hash ?? '')).toBeUndefined()
  })

  it('where the text cannot be kept, the workflow goes on, and the logger is told', async () => {
    const told: string[] = []
    const quiet = (): void => undefined
    const logger = {
      debug: quiet,
      info: quiet,
      error: quiet,
      warn: (_: object, message: string) => {
        told.push(message)
      },
    }
    const isAway = (error: unknown): Promise<never> => Promise.reject(error as Error)
    let writes = 0
    await using test = await openTestEngine({
      functions: [flow],
      sourceLines: true,
      logger,
      wrap: (driver) => ({
        ...driver,
        write: (protocol) => {
          const first = protocol().next().value
          const isSource = JSON.stringify(first ?? '').includes('insert-source')
          if (isSource) writes += 1
          return isSource ? isAway(new TypeError('full')) : driver.write(protocol)
        },
      }),
    })
    const handle = await test.engine.submit(flow, undefined, { id: 'a' })
    await test.advance(2_000)
    await expect(handle.result({ timeout: 0 })).resolves.toBe(1)
    expect(writes).toBeGreaterThan(1)
    expect(told).toContain('The text of a source file could not be kept')
  })
})
