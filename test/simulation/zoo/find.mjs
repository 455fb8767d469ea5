/**
 * A program: the exploration in which every bug of the zoo has to be found. Its arguments are the
 * directory of a package and the most seeds; it prints one line of JSON.
 */
import { loadPackage } from '../package.mjs'

/** Seeds of one world at one level before the next has its turn. */
const turnSeeds = 20
const levels = ['stormy', 'radioactive']

const [directory, seedsMax] = process.argv.slice(2)
const { explore, worlds } = await loadPackage(directory)

/** Milliseconds of work for making a failure smaller. */
const shrinkWork = 7_000
/** A machine that is busy with other things is waited for so many times as long, at most. */
const slownessMax = 4

/** What this process has worked so far, in milliseconds. */
function worked() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** How much longer work takes than it would if nobody else were there. */
function slowness() {
  return Math.min(slownessMax, Math.max(1, performance.now() / worked()))
}

async function exploreTurn({ name, level, seed }) {
  const { options, scenario } = worlds[name]
  let shrinkBegan = worked()
  const onProgress = () => {
    shrinkBegan = worked()
  }
  const shrinkBudget = `${Math.round(shrinkWork * slowness())}ms`
  const how = { faults: level, marks: [], seed, runs: turnSeeds, shrinkBudget, onProgress }
  const result = await explore({ ...options, ...how }, scenario)
  const { failure } = result
  if (failure === undefined) return { seeds: result.seeds, steps: result.steps }
  return {
    seeds: result.seeds,
    steps: result.steps,
    invariant: failure.result.failure.invariant,
    message: failure.result.failure.message,
    world: name,
    level,
    choices: failure.choices,
    shrinkMs: Math.round(worked() - shrinkBegan),
    repro: failure.repro,
  }
}

/** All turns there are, in the order that is the same for every bug. */
function* turns() {
  for (let seed = 1; ; seed += turnSeeds) {
    for (const level of levels) {
      for (const name of Object.keys(worlds)) yield { name, level, seed }
    }
  }
}

async function find() {
  let seeds = 0
  let steps = 0
  for (const turn of turns()) {
    if (seeds >= Number(seedsMax)) break
    const explored = await exploreTurn(turn)
    seeds += explored.seeds
    steps += explored.steps
    if (explored.invariant !== undefined) return { ...explored, seeds, steps }
  }
  return { seeds, steps }
}

const startedAt = performance.now()
const found = await find()
console.log(JSON.stringify({ ...found, ms: Math.round(performance.now() - startedAt) }))
