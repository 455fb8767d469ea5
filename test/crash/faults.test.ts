/**
 * Faults of the storage, with the real thing, under a process that works: a typed error for each
 * who asks, a line of log for each loop, and all that was acknowledged is done when the fault ends.
 */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { query, statement } from '../../src/storage/protocol.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openStage, openStorage, type Puppet, type PuppetOptions, type Stage } from './puppets.ts'
import { until } from './workers.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65_534
/** Changes a limit of a process that runs. */
const prlimit = '/usr/bin/prlimit'

interface Fault {
  readonly begin: (puppet: Puppet) => void | Promise<void>
  readonly end: (puppet: Puppet) => void | Promise<void>
  readonly code: string
  readonly entry?: PuppetOptions
}

/**
 * Works, loses its storage in the middle of it, gets it back, and has lost nothing. Gives the
 * executions that were acknowledged.
 */
async function sufferAndRecover(stage: Stage, fault: Fault): Promise<readonly string[]> {
  const puppet = await stage.enter(fault.entry)
  await puppet.ask('open', { executor: { lockExpiry: '20s' } })
  await puppet.ask('start')
  const acknowledged = [...(await puppet.ask('submitMany', 'brief', [300, 300, 300]))]
  await until(() => stage.ledger().filter(({ kind }) => kind === 'begin').length === 3)
  acknowledged.push(await puppet.ask('submit', 'echo', 1, { delay: 500 }))
  await fault.begin(puppet)
  const codes = new Set<string>()
  const submitSome = async (): Promise<void> => {
    try {
      acknowledged.push(await puppet.ask('submit', 'echo', 'x'.repeat(2_000)))
    } catch (error) {
      codes.add((error as { readonly code: string }).code)
    }
  }
  const failing = async () =>
    (await puppet.ask('log')).filter(({ message }) => message.includes('failed'))
  await until(async () => {
    await submitSome()
    return (await failing()).length >= 2 && codes.size > 0
  })
  for (let more = 0; more < 20; more += 1) await submitSome()
  expect([...codes]).toEqual([fault.code])
  // The three that ran have ended; nothing of it could be written, nothing is run again.
  await until(() => stage.ledger().filter(({ kind }) => kind === 'end').length >= 3)
  const lines = await failing()
  // Something small may still have found room after the first line.
  const kinds = new Set(lines.map(({ message }) => message))
  expect(lines.length).toBeLessThanOrEqual(2 * kinds.size)
  await fault.end(puppet)
  acknowledged.push(await puppet.ask('submit', 'echo', 2))
  for (const id of acknowledged) {
    expect(await puppet.ask('outcome', id, { timeout: '20s' })).toMatchObject({ type: 'ok' })
  }
  expect(await puppet.ask('count')).toBe(acknowledged.length)
  const begun = stage.ledger().filter(({ kind }) => kind === 'begin')
  expect(begun.map(({ executionId }) => executionId).toSorted()).toEqual(acknowledged.toSorted())
  const healed = (await puppet.ask('log')).filter(({ message }) => message.endsWith('works again'))
  expect(healed.length).toBeGreaterThan(0)
  expect(await puppet.ask('uncaught')).toEqual([])
  await puppet.ask('stop')
  return acknowledged
}

/** A small disk of its own, if this machine lets one be made. */
function mountDisk(path: string): Disposable | undefined {
  if (!isRoot || process.platform !== 'linux') return undefined
  mkdirSync(path)
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return {
    [Symbol.dispose]: () => {
      execFileSync('/bin/umount', [path])
    },
  }
}

/** Writes until nothing fits any more. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const size of [65_536, 4_096, 1]) writeAll(descriptor, Buffer.alloc(size))
  } finally {
    closeSync(descriptor)
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(descriptor, bytes)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}

describe('a storage that fails under a process that works', () => {
  it('a disk that is full', async (context) => {
    using folder = temporaryDirectory()
    using disk = mountDisk(folder.file('disk'))
    if (disk === undefined) return context.skip('no disk of its own can be mounted here')
    await using stage = openStage()
    const file = folder.file('disk/app.db')
    const filler = folder.file('disk/filler')
    const acknowledged = await sufferAndRecover(stage, {
      begin: () => {
        fill(filler)
      },
      end: () => {
        rmSync(filler)
      },
      code: 'storage_full',
      entry: { file },
    })
    expect(acknowledged.length).toBeGreaterThan(4)
    await stage.check(file)
  })

  it('a file that may not grow', async (context) => {
    await using stage = openStage()
    if (!existsSync(prlimit)) return context.skip('prlimit is not here')
    const limit = (puppet: Puppet, bytes: number | string): void => {
      execFileSync(prlimit, ['--pid', `${puppet.pid}`, `--fsize=${bytes}:`])
    }
    const acknowledged = await sufferAndRecover(stage, {
      begin: (puppet) => {
        limit(puppet, 40_000)
      },
      end: (puppet) => {
        limit(puppet, 'unlimited')
      },
      code: 'storage_unavailable',
    })
    expect(acknowledged.length).toBeGreaterThan(4)
    await stage.check()
  })

  it('a file that is taken away and brought back', async () => {
    await using stage = openStage()
    const away = `${stage.path}/away.db`
    const acknowledged = await sufferAndRecover(stage, {
      begin: () => {
        renameSync(stage.file, away)
      },
      end: () => {
        renameSync(away, stage.file)
      },
      code: 'storage_unavailable',
    })
    expect(acknowledged.length).toBeGreaterThan(4)
    await stage.check()
  })

  it('another database in the place of the file: not a word goes into it', async () => {
    await using stage = openStage()
    const away = `${stage.path}/away.db`
    const other = `${stage.path}/other.db`
    await (await openStorage(other)).close()
    const before = readFileSync(other)
    const acknowledged = await sufferAndRecover(stage, {
      begin: () => {
        renameSync(stage.file, away)
        renameSync(other, stage.file)
      },
      end: () => {
        renameSync(stage.file, other)
        renameSync(away, stage.file)
      },
      code: 'storage_unavailable',
    })
    expect(acknowledged.length).toBeGreaterThan(4)
    expect(readFileSync(other).equals(before)).toBe(true)
    await stage.check()
  })

  it('a WAL that is taken away and brought back', async () => {
    await using stage = openStage()
    const away = `${stage.path}/away`
    const acknowledged = await sufferAndRecover(stage, {
      begin: () => {
        renameSync(`${stage.file}-wal`, away)
      },
      end: () => {
        renameSync(away, `${stage.file}-wal`)
      },
      code: 'storage_unavailable',
    })
    expect(acknowledged.length).toBeGreaterThan(4)
    await stage.check()
  })
})

describe('a storage that cannot be opened', () => {
  it('a folder, then a file that may only be read: typed; opened when that has changed', async (context) => {
    if (!isRoot) return context.skip('only the superuser can start a process as somebody else')
    await using stage = openStage()
    chownSync(stage.path, nobody, nobody)
    chmodSync(stage.path, 0o555)
    const puppet = await stage.enter({ uid: nobody })
    await expect(puppet.ask('open')).rejects.toMatchObject({ code: 'storage_unavailable' })
    chmodSync(stage.path, 0o755)
    await puppet.ask('open')
    const id = await puppet.ask('submit', 'echo', 1)
    await puppet.ask('stop')
    chmodSync(stage.file, 0o444)
    chmodSync(stage.path, 0o555)
    await expect(puppet.ask('open')).rejects.toMatchObject({ code: 'storage_read_only' })
    chmodSync(stage.file, 0o644)
    chmodSync(stage.path, 0o755)
    await puppet.ask('open')
    await puppet.ask('start')
    expect(await puppet.ask('outcome', id, { timeout: '10s' })).toEqual({ type: 'ok', value: 1 })
    expect(await puppet.ask('uncaught')).toEqual([])
    await puppet.ask('stop')
  })
})

describe('a page in the middle of a table that is damaged', () => {
  const pageSize = 4_096

  /** Page numbers of the leaves of a table. */
  function leavesOf(file: string, table: string): readonly number[] {
    const connection = openConnection(file, 1_000)
    const leaves = statement(
      'test',
      "SELECT pageno FROM dbstat WHERE name = $1 AND pagetype = 'leaf' ORDER BY path",
    )
    const rows = connection.drive(query(leaves, table))
    connection.close()
    return rows.map((row) => Number(row['pageno']))
  }

  function overwrite(file: string, page: number, bytes: Buffer): void {
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, bytes, 0, pageSize, (page - 1) * pageSize)
    closeSync(descriptor)
  }

  it('typed, told once, and everything is there when the page is restored', async () => {
    await using stage = openStage()
    const puppet = await stage.enter()
    await puppet.ask('open')
    const ids = await puppet.ask('submitMany', 'echo', Array(200).fill('x'.repeat(100)))
    await puppet.ask('stop')
    const leaves = leavesOf(stage.file, 'events')
    const page = leaves[Math.floor(leaves.length / 2)] ?? 0
    const sound = readFileSync(stage.file).subarray((page - 1) * pageSize, page * pageSize)
    overwrite(stage.file, page, Buffer.alloc(pageSize, 0xff))
    await puppet.ask('open', { executor: { lockExpiry: 500 } })
    await puppet.ask('start')
    const told = async () => (await puppet.ask('log')).filter(({ level }) => level === 'error')
    await until(async () => (await told()).length > 0)
    for (let round = 0; round < 3; round += 1) {
      const reads = await Promise.allSettled(ids.map((id) => puppet.ask('types', id)))
      const refused = reads.filter((read) => read.status === 'rejected')
      expect(refused.length).toBeGreaterThan(0)
      expect(refused.length).toBeLessThan(ids.length)
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'storage_corrupt' })
    }
    const lines = await told()
    expect(new Set(lines.map(({ code }) => code))).toEqual(new Set(['storage_corrupt']))
    expect(lines.length).toBe(new Set(lines.map(({ message }) => message)).size)
    // As the error says: stop, restore, start.
    await puppet.ask('stop')
    overwrite(stage.file, page, sound)
    await puppet.ask('open', { executor: { lockExpiry: 500 } })
    await puppet.ask('start')
    for (const id of ids) await puppet.ask('outcome', id, { timeout: '20s' })
    // What could not be written is given up, and done again when its lock has expired.
    const done = stage.ledger().filter(({ kind }) => kind === 'end')
    expect(new Set(done.map(({ executionId }) => executionId)).size).toBe(ids.length)
    expect(await puppet.ask('uncaught')).toEqual([])
    await puppet.ask('stop')
    await stage.check()
  })
})
