/**
 * A program: runs seeds three times each, and compares their traces. Arguments: directory of a
 * package, how many seeds in all, its index, how many there are like it. Prints lines of JSON.
 */
import { loadPackage } from './package.mjs'

/** Seeds between two lines. */
const reportEvery = 50

const [directory, seeds, index, count] = process.argv.slice(2)
const { simulate, faultLevels, worlds } = await loadPackage(directory)
const levels = Object.keys(faultLevels)
const names = Object.keys(worlds)

/** Somebody who looks at everything, and counts what there was. */
function createWatcher() {
  const seen = { inspections: 0, lines: 0 }
  const line = () => {
    seen.lines += 1
  }
  return {
    seen,
    logger: { debug: line, info: line, warn: line, error: line },
    inspect: () => {
      seen.inspections += 1
    },
  }
}

async function compare(seed) {
  const world = names[seed % names.length]
  const faults = levels[Math.floor(seed / names.length) % levels.length]
  const { options, scenario } = worlds[world]
  const { seen, logger, inspect } = createWatcher()
  const variants = [{}, { logger, inspect }, {}]
  const hashes = []
  for (const variant of variants) {
    const { traceHash } = await simulate({ ...options, faults, seed, ...variant }, scenario)
    hashes.push(traceHash)
  }
  return { seed, world, faults, hashes, seen, isSame: new Set(hashes).size === 1 }
}

function emptySums() {
  return { compared: 0, inspections: 0, lines: 0, differing: [] }
}

let sums = emptySums()
for (let seed = Number(index); seed < Number(seeds); seed += Number(count)) {
  const { seen, isSame, ...rest } = await compare(seed)
  sums.compared += 1
  sums.inspections += seen.inspections
  sums.lines += seen.lines
  if (!isSame) sums.differing.push(rest)
  if (sums.compared < reportEvery) continue
  console.log(JSON.stringify(sums))
  sums = emptySums()
}
if (sums.compared > 0) console.log(JSON.stringify(sums))
