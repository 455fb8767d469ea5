/** The files of the house, read once. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HouseFile } from './findings.ts'

const top = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['src', 'machines', 'test', 'docs', '.ci']
const fixture = 'test/tidy/fixture/'
const textual = /\.(?:[cm]?[jt]sx?|jsonc?|md|html|css|sql|ya?ml|svg)$|^\.ci\/|^[^/]+$/

function listFolder(folder: string): string[] {
  if (!existsSync(join(top, folder))) return []
  return readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.split(sep).join('/')}`,
  )
}

/** Vitest keeps these beside the tests while it runs. */
const passing = /\.timestamp-|\.vitest-temp\./

function listPaths(): string[] {
  return [...readdirSync(top), ...folders.flatMap(listFolder)]
    .filter((path) => textual.test(path) && !path.startsWith(fixture) && !passing.test(path))
    .filter((path) => path !== '.git' && statSync(join(top, path)).isFile())
    .toSorted()
}

/** Every text file of the repository but the planted sins. */
export const house: readonly HouseFile[] = listPaths().map((path) => ({
  path,
  text: readFileSync(join(top, path), 'utf8'),
}))

/** The files whose path matches. */
export function housed(pattern: RegExp): readonly HouseFile[] {
  return house.filter(({ path }) => pattern.test(path))
}

/** The text of a file, `''` for a folder, `undefined` where nothing is. */
export function readHouse(path: string): string | undefined {
  const full = join(top, path)
  if (!existsSync(full)) return undefined
  return statSync(full).isDirectory() ? '' : readFileSync(full, 'utf8')
}
