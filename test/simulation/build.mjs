/** Builds engine and worlds as a package of its own, so that it can be run, and spoiled, alone. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(top, 'node_modules/typescript/bin/tsc')
const cache = join(top, 'node_modules/.cache/stele')

/** The directory of that name, for packages that this file builds. */
export function directoryOf(name) {
  return join(cache, name)
}

/** Compiles into a fresh directory; within it the package resolves to what was compiled. */
export function build(name) {
  const directory = directoryOf(name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const out = join(directory, 'dist')
  const project = join(top, 'test/simulation/worlds')
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', out], { stdio: 'inherit' })
  copyFileSync(join(top, 'package.json'), join(directory, 'package.json'))
  return directory
}
