/** The viewer's own files, and the package it is drawn with. Known by name: no path is followed. */

import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file to be sent. */
export interface Asset {
  readonly type: string
  readonly body: Buffer | string
}

/** Files by the path under which they are asked for. */
export type Assets = (path: string) => Promise<Asset | undefined>

/** Where the build puts the viewer's modules. */
const builtViewer = new URL('../viewer/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The stone, as a small picture. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M8 29V11a8 8 0 0 1 16 0v18z" fill="#4f6b8f"/>
<path d="M12 13h8M12 18h8M12 23h5" stroke="#fff" stroke-width="2" stroke-linecap="round"/>
</svg>`

/** The assets of a viewer whose modules are in a folder. */
export function createAssets(folder: URL = builtViewer): Assets {
  let paths: Promise<ReadonlyMap<string, string>> | undefined
  const kept = new Map<string, Asset>([['/assets/icon.svg', { type: 'image/svg+xml', body: icon }]])
  return async (path) => {
    const known = kept.get(path)
    if (known !== undefined) return known
    paths ??= listPaths(folder)
    const file = (await paths).get(path)
    if (file === undefined) return undefined
    const asset = { type: types[extname(file)] ?? 'text/plain', body: await readFile(file) }
    kept.set(path, asset)
    return asset
  }
}

/** Every file that may be asked for; whatever else is asked for is not there. */
async function listPaths(folder: URL): Promise<ReadonlyMap<string, string>> {
  const { resolve } = createRequire(import.meta.url)
  const packages = [
    ['/assets/preact.mjs', resolve('preact')],
    ['/assets/preact-hooks.mjs', resolve('preact/hooks')],
    ['/assets/preact-jsx-runtime.mjs', resolve('preact/jsx-runtime')],
  ] as const
  const names = await readdir(folder).catch(() => [])
  const own = names
    .filter((name) => name.endsWith('.js') || name.endsWith('.css'))
    .map((name) => [`/assets/${name}`, fileURLToPath(new URL(name, folder))] as const)
  return new Map([...packages, ...own])
}
