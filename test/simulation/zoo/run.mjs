/**
 * Is the simulator any good? Each bug of the zoo must be found by one fixed exploration, and made
 * small; the same exploration of what has no bug must find nothing. Words on the command line choose
 * bugs by name; then what has no bug is left out. `--bugs` names another table of bugs, and with
 * `--keep` what was found is kept as tapes.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadPackage } from '../package.mjs'
import { complaintOf, inTurns, openZoo, slugOf } from './cages.mjs'

const { values, positionals: words } = parseArgs({
  options: { bugs: { type: 'string' }, keep: { type: 'boolean' } },
  allowPositionals: true,
})
const table = values.bugs ?? fileURLToPath(new URL('bugs.mjs', import.meta.url))
const { bugs } = await import(pathToFileURL(resolve(table)).href)
const wanted = bugs.filter(({ name }) => words.every((word) => name.includes(word)))
const tapes = fileURLToPath(new URL('../tapes/', import.meta.url))

function columns(name, figures) {
  const [seeds, choices, shrink, seconds] = figures
  return [
    name.padEnd(60),
    String(seeds).padStart(6),
    String(choices).padStart(12),
    String(shrink).padStart(8),
    String(seconds).padStart(6),
  ].join(' ')
}

function rowOf(name, { seeds, choices, shrinkMs, ms }) {
  const shrunk = choices === undefined ? '' : `${choices.found} > ${choices.smallest}`
  const shrink = shrinkMs === undefined ? '' : `${(shrinkMs / 1_000).toFixed(1)} s`
  return columns(name, [seeds, shrunk, shrink, `${Math.round(ms / 1_000)} s`])
}

async function tryBug(zoo, bug) {
  const found = await zoo.explore(bug)
  const complaint = complaintOf(found)
  const end = complaint === undefined ? found.invariant : `BAD ${complaint}; ${found.invariant}`
  console.log(`${rowOf(bug.name, found)}  ${end}`)
  if (values.keep && found.repro !== undefined) await keep(zoo, bug, found)
  return complaint === undefined
}

async function keep(zoo, bug, { world, level, repro }) {
  const { formatRepro } = await loadPackage(zoo.base)
  writeFileSync(`${tapes}zoo-${slugOf(bug)}.json`, formatRepro({ world, faults: level, ...repro }))
}

async function trySound(zoo) {
  const found = await zoo.exploreSound()
  const end = found.invariant === undefined ? 'nothing' : `BAD ${found.invariant}`
  console.log(`${rowOf('(no bug)', found)}  ${end}`)
  if (found.message !== undefined) console.log(found.message)
  return found.invariant === undefined
}

const zoo = openZoo(`zoo-${process.pid}`)
try {
  console.log(columns('bug', ['seeds', 'choices', 'smaller', 'in all']))
  const takesSound = words.length === 0 && values.bugs === undefined
  const sound = takesSound ? [() => trySound(zoo)] : []
  const tries = [...sound, ...wanted.map((bug) => () => tryBug(zoo, bug))]
  const verdicts = await inTurns(tries, 2, (one) => one())
  const good = verdicts.filter(Boolean).length
  console.log(`${wanted.length} bugs; ${good} of ${verdicts.length} explorations as they must be`)
  process.exitCode = verdicts.length > 0 && verdicts.every(Boolean) ? 0 : 1
} finally {
  zoo.close()
}
