import { defineActivity, functionRef } from 'stele'
import { afterEach, describe, expect, it } from 'vitest'
import { createChoices, type Tapes } from '../../../src/simulation/choices.ts'
import type { FaultKind, FaultOptions } from '../../../src/simulation/faults.ts'
import { createKernel, type Kernel, simulationStart } from '../../../src/simulation/kernel.ts'
import { createLedger } from '../../../src/simulation/ledger.ts'
import { resolveSimulation } from '../../../src/simulation/options.ts'
import { createProcesses, type Processes } from '../../../src/simulation/processes.ts'
import { openStore, type Store } from '../../../src/simulation/store.ts'
import { eventLoopTurn } from '../../support/test-time.ts'
import { scriptedFaults } from './scripted-faults.ts'

const charge = defineActivity({ name: 'charge', version: '4' }, (cents: number) => cents * 2)
const stub = defineActivity({ name: 'stub' }).stub()
const stores: Store[] = []

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

interface Given {
  readonly count?: number
  readonly times?: Partial<Record<FaultKind, number>>
  readonly faults?: FaultOptions
  readonly tapes?: Tapes
}

function open({ count = 2, times = {}, faults: options = {}, tapes = {} }: Given = {}) {
  const store = openStore('memory')
  stores.push(store)
  const notes: string[] = []
  const commits: string[] = []
  const choices = createChoices({ seed: 1, tapes })
  const faults = scriptedFaults(times, options)
  const kernel: Kernel = createKernel({
    start: simulationStart,
    pick: () => 0,
    skewOf: (process) => processes.skewOf(process),
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (_, cause) => {
      throw cause
    },
  })
  const processes: Processes = createProcesses(
    {
      settings: resolveSimulation({ functions: [charge, stub] }),
      kernel,
      choices,
      faults,
      store,
      activities: {
        choices,
        ledger: createLedger(() => undefined),
        replacements: {},
        onBegin: () => undefined,
        onEnd: () => undefined,
      },
      onCommit: (process, { executions }) => commits.push(`${process} ${executions.join()}`),
      note: (process, kind, text) => notes.push(`${process} ${kind}: ${text}`),
      world: kernel.createLife('world'),
    },
    count,
  )
  /** Lets simulated time pass, after what was asked for outside of steps has come to wait. */
  const pass = async (length: number) => {
    await eventLoopTurn()
    const until = kernel.now() + length
    return kernel.run({ isDone: () => false, steps: 100_000, until })
  }
  return { processes, kernel, store, faults, notes, commits, pass }
}

/** Waits for something that an engine of the simulation does. */
async function settled<Value>(
  { pass }: Pick<ReturnType<typeof open>, 'pass'>,
  asked: Promise<Value>,
): Promise<Value | 'nothing'> {
  let answer: Value | 'nothing' = 'nothing'
  void asked.then((value) => {
    answer = value
  })
  await pass(5_000)
  return answer
}

describe('processes', () => {
  it('have names, and none runs before it is booted', async () => {
    const { processes, pass } = open({ count: 3 })
    expect(processes.names).toEqual(['engine-0', 'engine-1', 'engine-2'])
    processes.boot('engine-1')
    await pass(100)
    expect(processes.names.map(processes.isUp)).toEqual([false, true, false])
  })

  it('are booted once, however often they are told to', () => {
    const { processes, notes } = open()
    processes.boot('engine-0')
    processes.boot('engine-0')
    expect(notes).toEqual(['engine-0 boot: generation 1'])
  })

  it('execute what the client submits, over one store', async () => {
    const opened = open({ count: 1 })
    const { processes, commits } = opened
    processes.boot('engine-0')
    const client = await settled(opened, processes.client())
    if (client === 'nothing') throw new TypeError('no client')
    const asked = client.submit(charge, 21, { id: 'a' }).then((handle) => handle.result())
    expect(await settled(opened, asked)).toBe(42)
    expect(commits.filter((commit) => commit.endsWith(' a'))).toEqual([
      'client a',
      'engine-0 a',
      'engine-0 a',
    ])
  })

  it('have one client, and it is no engine', async () => {
    const opened = open({ count: 1 })
    const { processes } = opened
    expect(processes.client()).toBe(processes.client())
    const client = await settled(opened, processes.client())
    if (client === 'nothing') throw new TypeError('no client')
    const asked = client.submit(charge, 21).then((handle) => handle.result())
    expect(await settled(opened, asked)).toBe('nothing')
  })
})

describe('a process that dies', () => {
  it('is down at once, and comes back in another generation after a while', async () => {
    const { processes, notes, pass, kernel } = open({ faults: { downMax: '2s' } })
    processes.boot('engine-0')
    processes.crash('engine-0', 'dies')
    expect(processes.isUp('engine-0')).toBe(false)
    await pass(1_999)
    expect(processes.isUp('engine-0')).toBe(false)
    await pass(2_000)
    expect(processes.isUp('engine-0')).toBe(true)
    expect(notes).toEqual([
      'engine-0 boot: generation 1',
      'engine-0 crash: dies',
      'engine-0 boot: generation 2',
    ])
    expect(kernel.now()).toBeGreaterThan(simulationStart)
  })

  it('stays down when it is to, until it is booted', async () => {
    const { processes, pass } = open()
    processes.boot('engine-0')
    processes.crash('engine-0', 'dies', false)
    await pass(60_000)
    expect(processes.isUp('engine-0')).toBe(false)
    processes.boot('engine-0')
    expect(processes.isUp('engine-0')).toBe(true)
  })

  it('cannot die twice', () => {
    const { processes, notes } = open()
    processes.crash('engine-0', 'was never up')
    processes.boot('engine-0')
    processes.crash('engine-0', 'dies')
    processes.crash('engine-0', 'dies again')
    expect(notes).toEqual(['engine-0 boot: generation 1', 'engine-0 crash: dies'])
  })

  it('commits nothing any more', async () => {
    const { processes, commits, pass } = open({ count: 1 })
    processes.boot('engine-0')
    processes.crash('engine-0', 'dies', false)
    await pass(10_000)
    expect(commits).toEqual([])
  })

  it('while it starts, because its disk fails, is started again', async () => {
    const { processes, notes, pass } = open({ count: 1, times: { ioError: 1 } })
    processes.boot('engine-0')
    await pass(5_000)
    expect(notes.some((note) => note.startsWith('engine-0 crash: could not start'))).toBe(true)
    expect(notes.at(-1)).toBe('engine-0 boot: generation 2')
    expect(processes.isUp('engine-0')).toBe(true)
  })
})

describe('a process that is stopped', () => {
  it('stops as it should, and comes back unless it is to stay down', async () => {
    for (const comesBack of [true, false]) {
      const opened = open({ count: 1 })
      const { processes, notes, pass } = opened
      processes.boot('engine-0')
      await pass(1_000)
      void processes.stop('engine-0', comesBack)
      await pass(20_000)
      expect(notes.slice(1, 3)).toEqual([
        'engine-0 stop: begins to stop',
        'engine-0 stop: has stopped',
      ])
      expect(processes.isUp('engine-0')).toBe(comesBack)
    }
  })

  it('that dies meanwhile has not stopped, and nobody waits for it', async () => {
    const opened = open({ count: 1 })
    const { processes, notes, pass } = opened
    processes.boot('engine-0')
    await pass(1_000)
    const stopped = processes.stop('engine-0').then(() => 'over')
    processes.crash('engine-0', 'dies', false)
    expect(await settled(opened, stopped)).toBe('over')
    expect(notes).not.toContain('engine-0 stop: has stopped')
  })
})

describe('clocks', () => {
  it('are right when nothing is said', () => {
    const { processes } = open()
    processes.boot('engine-0')
    expect(processes.skewOf('engine-0')).toBe(0)
  })

  it('are off by a choice, ahead and behind, no further than allowed', () => {
    const skews = [1, 2, 15, 16].map((choice) => {
      const { processes } = open({ faults: { skew: '8s' }, tapes: { skew: [choice] } })
      processes.boot('engine-0')
      return processes.skewOf('engine-0')
    })
    expect(skews).toEqual([1_000, -1_000, 8_000, -8_000])
  })

  it('drift with time', async () => {
    const { processes, kernel, pass } = open({ faults: { drift: 1_000 }, tapes: { drift: [15] } })
    processes.jumpClock('engine-0')
    expect(processes.skewOf('engine-0')).toBe(0)
    kernel.createLife('other').scheduler.after(1_000_000, () => undefined)
    await pass(1_000_000)
    expect(processes.skewOf('engine-0')).toBe(1_000)
  })

  it('are right again when everything heals, and everybody is up', () => {
    const { processes, faults } = open({ faults: { skew: '8s' }, tapes: { skew: [15] } })
    processes.boot('engine-0')
    expect(processes.skewOf('engine-0')).toBe(8_000)
    faults.heal()
    processes.heal()
    expect(processes.skewOf('engine-0')).toBe(0)
    expect(processes.names.map(processes.isUp)).toEqual([true, true])
  })
})

describe('code', () => {
  it('that is executed has a version; stubs are ended by people', () => {
    expect(open().processes.executed()).toEqual({ charge: '4' })
  })

  it('that was deployed runs from the next boot on', async () => {
    const opened = open({ count: 1 })
    const { processes } = opened
    processes.boot('engine-0')
    expect(processes.hasDeployed()).toBe(false)
    const other = defineActivity({ name: 'charge', version: '5' }, (cents: number) => cents * 3)
    processes.deploy([other])
    expect([processes.hasDeployed(), processes.executed()]).toEqual([true, { charge: '5' }])
    const client = await settled(opened, processes.client())
    if (client === 'nothing') throw new TypeError('no client')
    processes.crash('engine-0', 'dies')
    const asked = client
      .submit(functionRef<typeof charge>('charge'), 21)
      .then((handle) => handle.result())
    await opened.pass(10_000)
    expect(await settled(opened, asked)).toBe(63)
  })
})

it('whose event loop stands still do nothing until then', async () => {
  const { processes, commits, pass, notes } = open({ count: 1 })
  processes.boot('engine-0')
  processes.stall('engine-0', 3_000)
  await pass(2_999)
  expect(commits).toEqual([])
  await pass(10)
  expect(notes).toContain('engine-0 fault: its event loop stands still for 3000 ms')
})
