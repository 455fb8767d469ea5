/** What holds for every workflow, however it is interrupted: random programs, run in many ways. */

import * as fc from 'fast-check'
import type { Handle } from 'stele'
import { describe, expect, it } from 'vitest'
import { systemScheduler } from '../../src/base/time.ts'
import type { ExecutionId } from '../../src/model/ids.ts'
import type { ExecutionState } from '../../src/model/state.ts'
import { workflowGuard } from '../../src/workers/workflow/guard.ts'
import { checkInvariants, listAllStates } from '../support/storage/check-invariants.ts'
import { programFunctions, type Trace } from '../support/workflow-interpreter.ts'
import { lastingLog } from '../support/workflow-log.ts'
import {
  type Program,
  programs,
  type Sending,
  sendings,
  spreadTimes,
} from '../support/workflow-program.ts'
import { findPartings, readRecorded } from '../support/workflow-replay.ts'
import { isFinished, openWorld, type World, type WorldOptions } from '../support/workflow-world.ts'

const seed = Number(process.env['STELE_WORKFLOW_SEED'] ?? 20_260_501)
const numRuns = Number(process.env['STELE_WORKFLOW_RUNS'] ?? 30)
const timeout = 60_000 + numRuns * 500

const dayLength = 86_400_000

/** What became of a program in one world. */
interface Life {
  readonly outcome: unknown
  readonly took: number
  readonly logs: unknown
  readonly lines: unknown
  readonly writes: number
  readonly deaths: number
}

function isPaused(state: ExecutionState): boolean {
  return 'paused' in state && state.paused
}

/** Until it has finished; whoever waits for a message in the end is sent some. */
async function finish(world: World, handle: Handle<unknown>): Promise<void> {
  const floodsMax = 60
  for (let floods = 0; !(await world.runUntil(() => isFinished(world, handle))); floods += 1) {
    const open = (await listAllStates(world.storage)).filter(({ status }) => status !== 'finished')
    expect(open.filter(isPaused), 'nothing is paused').toEqual([])
    expect(floods, `stuck: ${JSON.stringify(open)}`).toBeLessThan(floodsMax)
    for (const { executionId, function: fn } of open) {
      if (fn.kind === 'workflow') await flood(world, executionId, floods)
    }
  }
}

async function flood(world: World, id: ExecutionId, floods: number): Promise<void> {
  for (const channel of ['a', 'b'] as const) {
    await tell(world, id, { channel, text: `flood-${channel}-${floods}` })
  }
}

async function tell(
  world: World,
  id: ExecutionId,
  { channel, text }: { readonly channel: string; readonly text: string },
): Promise<void> {
  const [, , main] = programFunctions(world.time.scheduler)
  await world.ask(async (engine) => {
    const told = (await engine.get(id, main)) as unknown as Told
    await told.send(channel, text, { id: text })
  })
}

/** What a handle of a program takes. */
interface Told {
  readonly send: (channel: string, value: unknown, options: object) => Promise<unknown>
}

async function live(
  program: Program,
  sent: readonly Sending[],
  options: Partial<WorldOptions> & { readonly checks?: boolean; readonly isStable?: boolean },
): Promise<Life> {
  const world = await openWorld({ functions: programFunctions, ...options })
  const { clock } = world.time
  const begun = clock.now()
  const [, , main] = programFunctions(world.time.scheduler)
  const id = 'main' as ExecutionId
  await world.ask((engine) => engine.submit(main, program as never, { id }))
  const handle = (await world.client.get(id)) as Handle<unknown>
  for (const [place, sending] of sent.entries()) {
    const message = { channel: sending.channel, text: `message-${place}` }
    world.time.scheduler.after(sending.at, () => void tell(world, id, message))
  }
  await finish(world, handle)
  const took = clock.now() - begun
  // Whoever was given up ends at once: nothing that is awaited takes this long.
  expect(took).toBeLessThan(options.isStable === true ? dayLength : Number.POSITIVE_INFINITY)
  await world.runUntil(async () => false)
  const open = (await listAllStates(world.storage)).filter(({ status }) => status !== 'finished')
  expect(
    open.filter(({ status }) => status !== 'blocked'),
    'nothing stays behind',
  ).toEqual([])
  const life = await describeLife(world, took)
  await checkInvariants(world.storage)
  if (options.checks === true) await checkReplays(world)
  await world.close()
  return life
}

async function describeLife(world: World, took: number): Promise<Life> {
  const logs: Record<string, unknown> = {}
  const lines: Record<string, unknown> = {}
  for (const state of await listAllStates(world.storage)) {
    const { executionId, status } = state
    expect(isPaused(state), `${executionId} is paused`).toBe(false)
    const handle = await world.client.get(executionId)
    logs[executionId] = [status, lastingLog(await readRecorded(world.storage, executionId))]
    lines[executionId] = (await handle.logs()).map(({ message }) => message)
  }
  const main = await (await world.client.get('main')).state()
  return {
    outcome: main.outcome,
    took,
    logs,
    lines,
    writes: world.writes(),
    deaths: world.deaths(),
  }
}

async function checkReplays(world: World): Promise<void> {
  const [, , workflow] = programFunctions(systemScheduler)
  const release = workflowGuard.install({ globals: true })
  try {
    for (const state of await listAllStates(world.storage)) {
      if (state.function.kind !== 'workflow') continue
      const recorded = await readRecorded(world.storage, state.executionId)
      const cuts = world.cuts.get(state.executionId) ?? new Set()
      expect(await findPartings(workflow, recorded, cuts)).toEqual([])
    }
  } finally {
    release()
  }
}

describe(`workflows (seed ${seed})`, () => {
  it(
    'replay: every prefix of every log foretells what comes next',
    async () => {
      await fc.assert(
        fc.asyncProperty(programs({ isStable: false }), sendings, async (program, sent) => {
          await live(program, sent, { checks: true })
        }),
        { seed, numRuns },
      )
    },
    timeout,
  )

  it(
    'cold: what is replayed at every wake-up does the same as what stays warm',
    async () => {
      await fc.assert(
        fc.asyncProperty(programs({ isStable: false }), sendings, async (program, sent) => {
          const spread = spreadTimes(program)
          const warm = await live(spread, sent, {})
          const cold = await live(spread, sent, { warmRuns: 0 })
          expect({ ...cold, writes: 0 }).toEqual({ ...warm, writes: 0 })
        }),
        { seed, numRuns },
      )
    },
    timeout,
  )

  it(
    'crash: whatever write an engine dies at, the next one brings it to the same end',
    async () => {
      const crash = fc.record({ write: fc.integer({ min: 1, max: 60 }), committed: fc.boolean() })
      const crashes = fc.array(crash, { minLength: 1, maxLength: 2 })
      await fc.assert(
        fc.asyncProperty(programs({ isStable: true }), crashes, async (program, deaths) => {
          const whole = await live(program, [], { isStable: true })
          const broken = await live(program, [], {
            crashes: deaths,
            lockExpiry: 1_000,
            checks: true,
            isStable: true,
          })
          expect(valueOf(broken)).toEqual(valueOf(whole))
        }),
        { seed, numRuns },
      )
    },
    timeout,
  )

  it(
    'crash: whatever write an engine dies at, every log can be replayed',
    async () => {
      const crash = fc.record({ write: fc.integer({ min: 1, max: 60 }), committed: fc.boolean() })
      const crashes = fc.array(crash, { minLength: 1, maxLength: 3 })
      const given = [programs({ isStable: false }), sendings, crashes, fc.boolean()] as const
      await fc.assert(
        fc.asyncProperty(...given, async (program, sent, deaths, isCold) => {
          const warmth = isCold ? { warmRuns: 0 } : {}
          await live(program, sent, { crashes: deaths, lockExpiry: 1_000, checks: true, ...warmth })
        }),
        { seed, numRuns },
      )
    },
    timeout,
  )
})

/** What a stable program gives, without what time has to do with. */
function valueOf({ outcome }: Life): unknown {
  const { end } = (outcome as { readonly value: Trace }).value
  const text = JSON.stringify(end, (key, inner: unknown) => {
    if (key === 'seen') return undefined
    return typeof inner === 'number' && inner > 1_000_000 ? 'instant' : inner
  })
  return JSON.parse(text.replaceAll(/E_[0-9A-Z]{26}/g, 'id'))
}
