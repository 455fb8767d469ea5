/**
 * Whether the file that was opened is still the one under its name. SQLite goes on writing into a
 * file that somebody has deleted or replaced: everything acknowledged then would be lost.
 */

import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { SteleError } from '../../base/error.ts'

/** The files of an open database, remembered as they were. */
export interface FileIdentity {
  /**
   * Looks at the file under the name; cheap enough to ask before every transaction (3 µs). Before
   * one that writes also at the files beside it: what is committed to a WAL that was deleted is
   * lost with the process, and two processes that do not share their `-shm` file do not see each
   * other's locks.
   */
  readonly isInPlace: (access?: 'write') => boolean
  /** Lets go of the files. */
  readonly close: () => void
}

const alwaysInPlace: FileIdentity = { isInPlace: () => true, close: () => undefined }

/** Remembers which file stands under this name now. A database in memory is always in place. */
export function watchIdentity(file: string): FileIdentity {
  if (file === ':memory:') return alwaysInPlace
  // Absolute, so that a change of the working directory changes nothing.
  const path = resolve(file)
  const opened = identityOf(path)
  const base = companionBase(path)
  const wal = new WatchedWal(`${base}-wal`)
  const isSharedMemoryInPlace = watchCompanion(`${base}-shm`)
  return {
    isInPlace: (access) => {
      const found = identityOf(path)
      if (found === undefined || found !== opened) return false
      return access !== 'write' || (wal.isInPlace() && isSharedMemoryInPlace())
    },
    close: () => {
      wal.close()
    },
  }
}

/** SQLite follows a link to a database, and puts the files beside what it links to. */
function companionBase(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path
  } catch {
    return path
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

/**
 * The WAL, without asking for its times: a file system that keeps them fine (Linux 6.13 and later)
 * gives a file whose times were asked for new ones at the next write, and the sync after it has to
 * write them too. 120 µs for each commit, measured. Where Linux can tell what became of an open
 * file, its name is asked for instead; elsewhere the times come along.
 */
class WatchedWal {
  readonly #path: string
  readonly #isInPlaceByTimes: () => boolean
  #descriptor: number | undefined
  #name: string | undefined
  /** There is no `/proc` here. */
  #isNameless = false

  constructor(path: string) {
    this.#path = path
    this.#isInPlaceByTimes = watchCompanion(path)
    this.#open()
  }

  isInPlace(): boolean {
    if (this.#name === undefined && !this.#isNameless) this.#open()
    // Without /proc, or before the file is made.
    if (this.#name === undefined) return this.#isInPlaceByTimes()
    const name = this.#currentName()
    if (name === this.#name) return true
    // A folder on the way may have a new name, and this file still its own.
    if (!this.#isStillThere()) return false
    this.#name = name
    return true
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #open(): void {
    try {
      // Holds no lock of SQLite's, which are all on the other two files.
      this.#descriptor ??= openSync(this.#path, 'r')
      this.#name = this.#currentName()
      this.#isNameless = this.#name === undefined
    } catch {
      // Not made yet, or not ours to read: asked for again at the next write.
    }
  }

  #isStillThere(): boolean {
    if (this.#descriptor === undefined) return false
    const opened = textOf(fstatSync(this.#descriptor, { bigint: true }))
    return identityOf(this.#path) === opened
  }

  /** `<path>`, wherever the file has gone to, or `<path> (deleted)`. */
  #currentName(): string | undefined {
    try {
      return readlinkSync(`/proc/self/fd/${this.#descriptor}`)
    } catch {
      return undefined
    }
  }
}

function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? undefined : textOf(stat)
  } catch {
    return undefined
  }
}

function textOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
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
