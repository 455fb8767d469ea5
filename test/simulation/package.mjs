/** Loads simulator and worlds from a package that `build.mjs` has made. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What the package in this directory exports. */
export async function loadPackage(directory) {
  const load = (path) => import(pathToFileURL(join(directory, 'dist', path)).href)
  const simulation = await load('src/simulation.js')
  const { worlds } = await load('test/simulation/worlds/index.js')
  return { ...simulation, worlds }
}
