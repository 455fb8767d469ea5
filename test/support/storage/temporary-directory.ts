/** Directories for tests that need files; they vanish with the test. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new empty directory, removed when it is disposed of. */
export interface TemporaryDirectory extends Disposable {
  readonly path: string
  /** The path of a file in it. */
  readonly file: (name: string) => string
}

/** Makes a directory under the system's place for temporary files. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'stele-test-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}
