/**
 * Is the simulator any good? Each bug of the zoo must be found by one fixed exploration, and made
 * small; the same exploration of what has no bug must find nothing. Words on the command line choose
 * bugs by name; then what has no bug is left out.
 */
import { bugs } from './bugs.mjs'
import { complaintOf, inTurns, openZoo } from './cages.mjs'

const words = process.argv.slice(2)
const wanted = bugs.filter(({ name }) => words.every((word) => name.includes(word)))

function columns(name, values) {
  const [seeds, choices, shrink, seconds] = values
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
  return complaint === undefined
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
  const sound = words.length === 0 ? [() => trySound(zoo)] : []
  const tries = [...sound, ...wanted.map((bug) => () => tryBug(zoo, bug))]
  const verdicts = await inTurns(tries, 2, (one) => one())
  process.exitCode = verdicts.length > 0 && verdicts.every(Boolean) ? 0 : 1
} finally {
  zoo.close()
}
