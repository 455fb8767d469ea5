/**
 * Whether the file that was opened is still the one under its name. SQLite goes on writing into a
 * file that somebody has deleted or replaced: everything acknowledged then would be lost.
 */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SteleError } from '../../base/error.ts'

/**
 * Looks at the file under the name; cheap enough to ask before every transaction (2 µs). Before one
 * that writes also at the files beside it: what is committed to a WAL that was deleted is lost with
 * the process, and two processes that do not share their `-shm` file do not see each other's locks.
 */
export type IsInPlace = (access?: 'write') => boolean

/** Remembers which file stands under this name now. A database in memory is always in place. */
export function watchIdentity(file: string): IsInPlace {
  if (file === ':memory:') return () => true
  // Absolute, so that a change of the working directory changes nothing.
  const path = resolve(file)
  const opened = identityOf(path)
  const companions = [watchCompanion(`${path}-wal`), watchCompanion(`${path}-shm`)]
  return (access) => {
    const found = identityOf(path)
    if (found === undefined || found !== opened) return false
    return access !== 'write' || companions.every((isInPlace) => isInPlace())
  }
}

/** SQLite makes these when it needs them, and keeps them while anybody has the database open. */
function watchCompanion(path: string): () => boolean {
  let opened = identityOf(path)
  return () => {
    const found = identityOf(path)
    opened ??= found
    return found === opened
  }
}

function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
  } catch {
    return undefined
  }
}

/** The error for everything that is asked of a database whose file is gone. */
export function movedError(file: string): SteleError {
  return new SteleError(
    'storage_unavailable',
    `SQLite database ${JSON.stringify(file)}, or its -wal or -shm file, was deleted, moved or ` +
      'replaced while it was open. Nothing more is written: put it back, or stop the process.',
    { fields: { file } },
  )
}
