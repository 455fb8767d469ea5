/**
 * Is the simulator deterministic? `npm run simulate:twice -- 10000` runs so many seeds, each three
 * times: twice as it is, and once with somebody who inspects and logs. All must give one trace.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { runOnAllCores } from './children.mjs'

const program = fileURLToPath(new URL('compare.mjs', import.meta.url))
const [text = '1000'] = process.argv.slice(2)
const seeds = Number(text)
if (!(Number.isSafeInteger(seeds) && seeds > 0)) throw new Error(`not a number of seeds: ${text}`)

const directory = build(`twice-${process.pid}`)
const totals = { seeds: 0, inspections: 0, lines: 0, differing: 0 }
const take = ({ compared, inspections, lines, differing }) => {
  totals.seeds += compared
  totals.inspections += inspections
  totals.lines += lines
  totals.differing += differing.length
  for (const each of differing) console.log(`DIFFERS ${JSON.stringify(each)}`)
}
try {
  await runOnAllCores(program, (index, count) => [directory, seeds, index, count], take)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
const watched = `${totals.inspections} inspections, ${totals.lines} log lines`
console.log(`${totals.seeds} seeds, ${watched}, ${totals.differing} differ`)
process.exitCode = totals.differing === 0 && totals.seeds === seeds ? 0 : 1
