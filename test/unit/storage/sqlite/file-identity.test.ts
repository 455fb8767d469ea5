/** A file that is deleted or replaced under an open database takes nothing with it unnoticed. */

import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { createEngine, defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { watchIdentity } from '../../../../src/storage/sqlite/file-identity.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { testEnvironment } from '../../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'

const noop = defineActivity({ name: 'noop' }, (input: number) => input)
const gone = { code: 'storage_unavailable', message: expect.stringMatching(/deleted, moved/) }

describe('watchIdentity', () => {
  it('in memory: always in place', () => {
    expect(watchIdentity(':memory:')()).toBe(true)
  })

  it('a name without a file is never in place', () => {
    using folder = temporaryDirectory()
    expect(watchIdentity(folder.file('none.db'))()).toBe(false)
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
      const isInPlace = watchIdentity('some.file')
      process.chdir('/')
      expect(isInPlace()).toBe(true)
    } finally {
      process.chdir(before)
    }
  })
})
