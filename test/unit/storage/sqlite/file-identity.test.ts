/** A file that is deleted or replaced under an open database takes nothing with it unnoticed. */

import type * as fs from 'node:fs'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createEngine, defineActivity } from 'stele'
import { describe, expect, it, vi } from 'vitest'
import { type FileIdentity, watchIdentity } from '../../../../src/storage/sqlite/file-identity.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { testEnvironment } from '../../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'

vi.mock('node:fs', async (importActual) => {
  const actual = await importActual<typeof fs>()
  return {
    ...actual,
    statSync: vi.fn(actual.statSync),
    readlinkSync: vi.fn(actual.readlinkSync),
  }
})

const noop = defineActivity({ name: 'noop' }, (input: number) => input)
const gone = { code: 'storage_unavailable', message: expect.stringMatching(/deleted, moved/) }

describe('watchIdentity', () => {
  it('in memory: always in place', () => {
    expect(watchIdentity(':memory:').isInPlace('write')).toBe(true)
  })

  it('a name without a file is never in place', () => {
    using folder = temporaryDirectory()
    expect(watchIdentity(folder.file('none.db')).isInPlace()).toBe(false)
  })
})

describe('a file that is gone', () => {
  it('deleted: nothing more is acknowledged, written or read', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('app.db')
    const engine = await createEngine({ storage: file, logger: false })
    const handle = await engine.submit(noop, 1)
    rmSync(file)
    await expect(engine.submit(noop, 2)).rejects.toMatchObject(gone)
    await expect(handle.state()).rejects.toMatchObject(gone)
    await engine.stop()
  })

  it('moved away and back: work goes on', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('app.db')
    const engine = await createEngine({ storage: file, logger: false })
    renameSync(file, folder.file('away.db'))
    await expect(engine.submit(noop, 1)).rejects.toMatchObject(gone)
    renameSync(folder.file('away.db'), file)
    const handle = await engine.submit(noop, 2)
    expect(await handle.state()).toMatchObject({ status: 'pending_at' })
    await engine.stop()
  })

  it('replaced by another database: not a word goes into either', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('app.db')
    const other = folder.file('other.db')
    await (await openSqlite({ file: other }, testEnvironment())).close()
    const engine = await createEngine({ storage: file, logger: false })
    copyFileSync(other, folder.file('copy.db'))
    renameSync(folder.file('copy.db'), file)
    await expect(engine.submit(noop, 1)).rejects.toMatchObject(gone)
    await engine.stop()
  })

  it('another working directory: a relative name means the same file', () => {
    using folder = temporaryDirectory()
    const before = process.cwd()
    try {
      process.chdir(folder.path)
      copyFileSync(new URL(import.meta.url), 'some.file')
      const { isInPlace } = watchIdentity('some.file')
      process.chdir('/')
      expect(isInPlace()).toBe(true)
    } finally {
      process.chdir(before)
    }
  })
})

describe('the WAL', () => {
  it('deleted: not in its place for who writes', () => {
    using folder = temporaryDirectory()
    const { file, identity } = watchedFile(folder)
    rmSync(`${file}-wal`)
    expect([identity.isInPlace(), identity.isInPlace('write')]).toEqual([true, false])
  })

  it('replaced by another: not in its place, and back again when the first is', () => {
    using folder = temporaryDirectory()
    const { file, identity } = watchedFile(folder)
    renameSync(`${file}-wal`, folder.file('away'))
    writeFileSync(`${file}-wal`, '')
    expect(identity.isInPlace('write')).toBe(false)
    renameSync(folder.file('away'), `${file}-wal`)
    expect(identity.isInPlace('write')).toBe(true)
  })

  it('made later: remembered from then on', () => {
    using folder = temporaryDirectory()
    const file = folder.file('app.db')
    writeFileSync(file, '')
    const identity = watchIdentity(file)
    expect(identity.isInPlace('write')).toBe(true)
    writeFileSync(`${file}-wal`, '')
    expect(identity.isInPlace('write')).toBe(true)
    rmSync(`${file}-wal`)
    expect(identity.isInPlace('write')).toBe(false)
  })

  it('in a folder that got another name: in its place while its path leads to it', () => {
    using folder = temporaryDirectory()
    mkdirSync(folder.file('one'))
    symlinkSync(folder.file('one'), folder.file('current'))
    const { identity } = watchedFile(folder, 'current/app.db')
    expect(identity.isInPlace('write')).toBe(true)
    renameSync(folder.file('one'), folder.file('two'))
    expect(identity.isInPlace('write')).toBe(false)
    rmSync(folder.file('current'))
    symlinkSync(folder.file('two'), folder.file('current'))
    expect(identity.isInPlace('write')).toBe(true)
    rmSync(folder.file('two/app.db-wal'))
    expect(identity.isInPlace('write')).toBe(false)
  })

  it('of a database that is reached by a link: beside the database', () => {
    using folder = temporaryDirectory()
    const { file } = watchedFile(folder)
    symlinkSync(file, folder.file('link.db'))
    const identity = watchIdentity(folder.file('link.db'))
    expect(identity.isInPlace('write')).toBe(true)
    rmSync(`${file}-wal`)
    expect(identity.isInPlace('write')).toBe(false)
  })

  it('where nobody tells what an open file is called: asked for its identity', () => {
    using folder = temporaryDirectory()
    vi.mocked(readlinkSync).mockClear()
    vi.mocked(readlinkSync).mockImplementation(() => {
      throw new Error('no /proc')
    })
    try {
      const { file, identity } = watchedFile(folder)
      expect([identity.isInPlace('write'), identity.isInPlace('write')]).toEqual([true, true])
      expect(vi.mocked(readlinkSync)).toHaveBeenCalledTimes(1)
      rmSync(`${file}-wal`)
      expect(identity.isInPlace('write')).toBe(false)
    } finally {
      vi.mocked(readlinkSync).mockRestore()
    }
  })

  it.skipIf(process.platform !== 'linux')('is not asked for its times before writes', () => {
    using folder = temporaryDirectory()
    const { file, identity } = watchedFile(folder)
    vi.mocked(statSync).mockClear()
    expect(identity.isInPlace('write')).toBe(true)
    const asked = vi.mocked(statSync).mock.calls.map(([path]) => path)
    expect(asked).toEqual([file, `${file}-shm`])
  })

  it.skipIf(process.platform !== 'linux')('is let go at the end', () => {
    using folder = temporaryDirectory()
    const { file, identity } = watchedFile(folder)
    expect(openFiles()).toContain(`${file}-wal`)
    identity.close()
    identity.close()
    expect(openFiles()).not.toContain(`${file}-wal`)
  })
})

function watchedFile(
  folder: ReturnType<typeof temporaryDirectory>,
  name = 'app.db',
): { readonly file: string; readonly identity: FileIdentity } {
  const file = folder.file(name)
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(file + suffix, '')
  return { file, identity: watchIdentity(file) }
}

function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)]
    } catch {
      return []
    }
  })
}
