/**
 * A program: explores all worlds with seeds of its own until its time is up. Arguments: directory
 * of a package, first seed, its index, how many there are like it, milliseconds, levels. Prints a
 * line of JSON after each turn: sums, and what failed.
 */
import { seedOf } from './children.mjs'
import { loadPackage } from './package.mjs'

/** Seeds of one world at one level before the next has its turn. */
const turnSeeds = 20
/** Failures after which it ends: more of them say no more. */
const failuresMax = 10

const [directory, first, index, count, milliseconds, levelList] = process.argv.slice(2)
const { explore, worlds } = await loadPackage(directory)
const levels = levelList.split(',')
const names = Object.keys(worlds)
const place = { first: Number(first), index: Number(index), count: Number(count), turnSeeds }
const endsAt = performance.now() + Number(milliseconds)

async function sweepTurn(turn) {
  const world = names[turn % names.length]
  const level = levels[Math.floor(turn / names.length) % levels.length]
  const { options, scenario } = worlds[world]
  const left = Math.max(1, Math.ceil(endsAt - performance.now()))
  const how = {
    faults: level,
    seed: seedOf({ ...place, turn }),
    runs: turnSeeds,
    budget: `${left}ms`,
  }
  const { failure, seeds, steps, simulatedMs, executions, faults, marks } = await explore(
    { ...options, ...how },
    scenario,
  )
  return {
    world,
    level,
    sums: { seeds, steps, simulatedMs, executions },
    faults,
    marks,
    ...(failure === undefined ? {} : { failure: describe(failure) }),
  }
}

function describe({ result, choices, repro }) {
  return { choices, repro, report: result.report() }
}

let failures = 0
for (let turn = 0; performance.now() < endsAt && failures < failuresMax; turn += 1) {
  const swept = await sweepTurn(turn)
  if (swept.failure !== undefined) failures += 1
  console.log(JSON.stringify(swept))
}
