import { afterEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { accept, refuse } from '../../../src/base/result.ts'
import type { FaultKind } from '../../../src/simulation/faults.ts'
import { createKernel } from '../../../src/simulation/kernel.ts'
import {
  openProcessStorage,
  type ProcessStorageOptions,
} from '../../../src/simulation/storage-faults.ts'
import { openStore, type Store } from '../../../src/simulation/store.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import { query, statement } from '../../../src/storage/protocol.ts'
import { scriptedFaults } from './scripted-faults.ts'

const start = 1_000_000
const insert = statement(
  'insert-event',
  `INSERT INTO events (execution_id, version, created_at_ms, type, body)
   VALUES ($1, 0, 0, 'paused', '{}')`,
)
const select = statement(
  'select-ids',
  'SELECT v.execution_id FROM events v ORDER BY v.execution_id',
)

const stores: Store[] = []

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

type Times = Partial<Record<FaultKind, number>>
type Part = Partial<ProcessStorageOptions> & { readonly picks?: number }

function open(times: Times, { picks = 0, ...part }: Part = {}) {
  const store = openStore('memory')
  stores.push(store)
  const kernel = createKernel({
    start,
    pick: () => 0,
    skewOf: () => 0,
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (_, cause) => {
      throw cause
    },
  })
  const life = kernel.createLife('engine-0')
  const seen: string[] = []
  const faults = scriptedFaults(times, { picks })
  const { driver, disconnect } = openProcessStorage({
    store,
    life,
    random: createRandom(1),
    faults,
    role: 'engine',
    now: kernel.now,
    disk: { fullUntil: 0 },
    takeForeign: () => true,
    crash: (why) => {
      seen.push(`crash ${why}`)
      life.end()
    },
    onCommit: ({ executions }) => seen.push(`commit ${executions.join()}`),
    onFault: (fault) => seen.push(fault),
    ...part,
  })
  /** Runs code as a step, and everything that follows from it. */
  const play = async (code: () => unknown): Promise<void> => {
    life.scheduler.soon(() => void code())
    await kernel.run({ isDone: () => false, steps: 10_000, until: start + 1e9 })
  }
  const ids = () =>
    store
      .observer()
      .drive(query(select))
      .map((row) => row['execution_id'])
  const now = () => kernel.now() - start
  return { store, life, faults, driver, disconnect, seen, play, ids, now }
}

const write = (driver: Driver, id: string) =>
  driver.write(function* () {
    yield* query(insert, id)
    return accept(id)
  })

/** What becomes of a promise: its answer, its error's code, or silence. */
function watch(promise: Promise<unknown>): { end: unknown } {
  const watched: { end: unknown } = { end: 'silence' }
  promise.then(
    () => {
      watched.end = 'answered'
    },
    (cause: unknown) => {
      watched.end = cause instanceof Error && 'code' in cause ? cause.code : cause
    },
  )
  return watched
}

/** The same for whoever waits for it. */
async function endOf(promise: Promise<unknown>): Promise<unknown> {
  const watched = watch(promise)
  await promise.catch(() => undefined)
  return watched.end
}

/** Writes once under these faults. */
async function writeOnce(times: Times, part: Part = {}) {
  const opened = open(times, part)
  let end = { end: undefined as unknown }
  await opened.play(() => {
    end = watch(write(opened.driver, 'a'))
  })
  return { ...opened, end: end.end }
}

describe('without faults', () => {
  it('a write is answered after its commit, which is told', async () => {
    const { end, seen, ids } = await writeOnce({})
    expect([end, seen, ids()]).toEqual(['answered', ['commit a'], ['a']])
  })

  it('a refused write is no change', async () => {
    const { driver, play, seen, ids } = open({})
    await play(() =>
      driver.write(function* () {
        yield* query(insert, 'a')
        return refuse('no')
      }),
    )
    expect([seen.filter((what) => what === 'commit a'), ids()]).toEqual([[], []])
  })
})

describe('a database that is busy', () => {
  it('is asked again by the real driver, after a while', async () => {
    const { end, seen, ids, now } = await writeOnce({ busy: 3 })
    expect([end, ids()]).toEqual(['answered', ['a']])
    expect(seen).toEqual(['busy', 'busy', 'busy', 'commit a'])
    expect(now()).toBeGreaterThan(0)
  })

  it('for too long makes the write fail', async () => {
    const { end, ids } = await writeOnce({ busy: 1e6 })
    expect([end, ids()]).toEqual(['storage_unavailable', []])
  })

  it('meets a client as well', async () => {
    const { end, seen } = await writeOnce({ busy: 1 }, { role: 'client' })
    expect([end, seen]).toEqual(['answered', ['busy', 'commit a']])
  })
})

describe('a disk with errors', () => {
  it('makes the write fail with a typed error, and nothing is written', async () => {
    const { end, seen, ids } = await writeOnce({ ioError: 1 })
    expect([end, seen, ids()]).toEqual(['storage_unavailable', ['ioError'], []])
  })

  it('makes a read fail, too', async () => {
    const { driver, play } = open({ ioError: 1 })
    let end = { end: undefined as unknown }
    await play(() => {
      end = watch(driver.read(() => query(select)))
    })
    expect(end.end).toBe('storage_unavailable')
  })

  it('spares the client', async () => {
    const { end } = await writeOnce({ ioError: 1 }, { role: 'client' })
    expect(end).toBe('answered')
  })
})

describe('a full disk', () => {
  it('stays full for a while', async () => {
    const { driver, play, ids } = open({ diskFull: 1 })
    const ends: unknown[] = []
    const attempt = async (id: string): Promise<void> => {
      ends.push(await endOf(write(driver, id)))
    }
    await play(() => attempt('a'))
    await play(() => attempt('b'))
    expect([ends, ids()]).toEqual([['storage_full', 'storage_full'], []])
  })

  it('is emptied by time', async () => {
    const { driver, play, life, ids } = open({ diskFull: 1 })
    const ends: unknown[] = []
    await play(async () => {
      ends.push(await endOf(write(driver, 'a')))
      await new Promise<void>((resolve) => life.scheduler.after(20_001, resolve))
      ends.push(await endOf(write(driver, 'b')))
    })
    expect([ends, ids()]).toEqual([['storage_full', 'answered'], ['b']])
  })

  it('is emptied when everything heals', async () => {
    const { driver, play, faults, ids } = open({ diskFull: 1 })
    await play(() => write(driver, 'a').catch(() => undefined))
    faults.heal()
    await play(() => write(driver, 'b'))
    expect(ids()).toEqual(['b'])
  })

  it('takes reads all the time', async () => {
    const { driver, play } = open({ diskFull: 1 })
    let end = { end: undefined as unknown }
    await play(async () => {
      await write(driver, 'a').catch(() => undefined)
      end = watch(driver.read(() => query(select)))
    })
    expect(end.end).toBe('answered')
  })
})

describe('a process that dies at a commit', () => {
  it('after it: the commit is made and told, its caller never answered', async () => {
    const { end, seen, ids, life } = await writeOnce({ crashAtCommit: 1 }, { picks: 0 })
    expect(end).toBe('silence')
    expect(seen).toEqual(['commit a', 'crash after its commit'])
    expect([ids(), life.isAlive()]).toEqual([['a'], false])
  })

  it('before it: nothing is written, its caller never answered', async () => {
    const { end, seen, ids, store } = await writeOnce({ crashAtCommit: 1 }, { picks: 1 })
    expect(end).toBe('silence')
    expect(seen).toEqual(['crash before its commit'])
    expect([ids(), store.observer().isInTransaction()]).toEqual([[], false])
  })

  it('spares the client', async () => {
    const { end, seen } = await writeOnce({ crashAtCommit: 1 }, { role: 'client' })
    expect([end, seen]).toEqual(['answered', ['commit a']])
  })
})

describe('a dead process', () => {
  it('is not answered, and writes nothing', async () => {
    const { driver, life, play, ids } = open({})
    let ends: readonly { end: unknown }[] = []
    await play(() => {
      life.end()
      ends = [watch(write(driver, 'a')), watch(driver.read(() => query(select)))]
    })
    expect([ends.map(({ end }) => end), ids()]).toEqual([['silence', 'silence'], []])
  })

  it('gets no answer to what it asked while it lived', async () => {
    const { driver, life, play, ids } = open({})
    let end = { end: undefined as unknown }
    await play(() => {
      end = watch(write(driver, 'a'))
      life.end()
    })
    expect([end.end, ids()]).toEqual(['silence', []])
  })
})

describe('slow storage', () => {
  it('lets a write wait, in simulated time', async () => {
    const { end, seen, now } = await writeOnce({ slow: 1 })
    expect([end, seen, now()]).toEqual(['answered', ['slow 500 ms', 'commit a'], 500])
  })

  it('answers a read a turn later', async () => {
    const { driver, play, life } = open({ lateRead: 1 })
    const seen: string[] = []
    const read = (name: string) => driver.read(() => query(select)).then(() => seen.push(name))
    await play(() => {
      life.scheduler.soon(() => seen.push('a turn'))
      void read('late')
      void read('at once')
    })
    expect(seen).toEqual(['at once', 'a turn', 'late'])
  })
})

describe('commits of others', () => {
  it('are noticed', () => {
    expect(open({}).driver.hasForeignChanges()).toBe(true)
  })

  it('are none when there are none', () => {
    expect(open({ missForeign: 1 }, { takeForeign: () => false }).driver.hasForeignChanges()).toBe(
      false,
    )
  })

  it('may be missed', () => {
    const { driver, seen } = open({ missForeign: 1 })
    expect([driver.hasForeignChanges(), driver.hasForeignChanges()]).toEqual([false, true])
    expect(seen).toEqual(['missForeign'])
  })
})

describe('a notice', () => {
  async function deliver(times: Times) {
    const { driver, play, now, seen } = open(times)
    const arrived: number[] = []
    await play(() => driver.relay?.(() => arrived.push(now())))
    return { arrived, seen }
  }

  it.each<[string, Times, readonly number[]]>([
    ['arrives at once', {}, [0]],
    ['may be lost', { dropNotice: 1 }, []],
    ['may be late', { delayNotice: 1 }, [500]],
    ['may come twice', { repeatNotice: 1 }, [0, 0]],
    ['may come early and late', { repeatNotice: 1, delayNotice: 1 }, [0, 500]],
  ])('%s', async (_, times, expected) => {
    const { arrived } = await deliver(times)
    expect(arrived).toEqual(expected)
  })

  it('does not arrive at the dead', async () => {
    const { driver, play, life } = open({ delayNotice: 1 })
    const arrived: string[] = []
    await play(() => {
      driver.relay?.(() => arrived.push('late'))
      life.end()
    })
    expect(arrived).toEqual([])
  })
})

it('a driver that was closed lets go, and refuses what comes after', async () => {
  const { driver, play } = open({})
  let end = { end: undefined as unknown }
  await play(async () => {
    await driver.close()
    end = watch(write(driver, 'a'))
  })
  expect(end.end).toBe('storage_unavailable')
})
