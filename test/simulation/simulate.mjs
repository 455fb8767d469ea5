/**
 * Explores the engine with fresh seeds on all cores: `npm run simulate -- --minutes 10`. `--seed S`
 * says where to begin, `--level L` takes one level only. Failures are kept as files under `tapes`.
 * Ends with 1 when something failed, or when a declared mark was never hit.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { addAll, runOnAllCores } from './children.mjs'
import { loadPackage } from './package.mjs'

const program = fileURLToPath(new URL('sweep.mjs', import.meta.url))
const tapes = fileURLToPath(new URL('tapes/', import.meta.url))
/** Between two lines of progress, in milliseconds. */
const progressInterval = 1_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    level: { type: 'string' },
  },
})
const milliseconds = Math.round(positive('minutes', values.minutes) * 60_000)
const first = values.seed === undefined ? Date.now() : positive('seed', values.seed)

function positive(name, text) {
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`--${name} must be a number above 0, not ${text}`)
}

function levelsOf({ faultLevels }) {
  const known = Object.keys(faultLevels)
  if (values.level === undefined) return known
  if (known.includes(values.level)) return [values.level]
  throw new Error(`--level must be one of ${known.join(', ')}, not ${values.level}`)
}

const totals = { sums: {}, faults: {}, marks: {}, failures: [] }

/** Marks have the name of their world before them: two worlds may have the same. */
function take({ world, level, sums, faults, marks, failure }) {
  addAll(totals.sums, sums)
  addAll(totals.faults, faults)
  const named = Object.entries(marks).map(([mark, hits]) => [`${world}: ${mark}`, hits])
  addAll(totals.marks, Object.fromEntries(named))
  if (failure !== undefined) totals.failures.push({ world, level, ...failure })
}

function days(simulatedMs = 0) {
  return (simulatedMs / 86_400_000).toFixed(0)
}

function sumOf(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function progress() {
  const { sums, faults, failures } = totals
  const { seeds = 0, steps = 0, simulatedMs } = sums
  const found = `${sumOf(faults)} faults, ${failures.length} failures`
  return `${seeds} seeds, ${steps} steps, ${days(simulatedMs)} simulated days, ${found}`
}

/** One line that is written over, where somebody looks; else nothing. */
function showProgress() {
  if (!process.stdout.isTTY) return () => undefined
  const timer = setInterval(() => process.stdout.write(`\r${progress()}`), progressInterval)
  return () => {
    clearInterval(timer)
    process.stdout.write('\n')
  }
}

function keepTape({ formatRepro }, { world, level, repro }) {
  const path = `${tapes}${world}-${level}-${repro.seed}.json`
  writeFileSync(path, formatRepro({ world, faults: level, ...repro }))
  return path
}

function row(name, value) {
  console.log(`  ${name.padEnd(52)} ${String(value).padStart(12)}`)
}

function report(simulation, seconds) {
  const { sums, faults, marks, failures } = totals
  const { seeds = 0, steps = 0, simulatedMs, executions = 0 } = sums
  row('seeds', seeds)
  row('seeds a second', (seeds / seconds).toFixed(1))
  row('steps', steps)
  row('steps a second', Math.round(steps / seconds))
  row('executions', executions)
  row('simulated days', days(simulatedMs))
  console.log('faults')
  for (const [kind, count] of Object.entries(faults)) row(kind, count)
  console.log('marks')
  for (const [mark, hits] of Object.entries(marks)) row(mark, hits === 0 ? 'NEVER' : hits)
  console.log(failures.length === 0 ? 'Nothing failed.' : `${failures.length} failures`)
  for (const failure of failures) {
    console.log(`\n${failure.report}\n\nKept as ${keepTape(simulation, failure)}`)
  }
}

/** What calm seas never do is not missed in them. */
function missedMarks(levels) {
  if (levels.length === 1 && levels[0] === 'calm') return []
  return Object.keys(totals.marks).filter((mark) => totals.marks[mark] === 0)
}

const directory = build(`simulate-${process.pid}`)
try {
  const simulation = await loadPackage(directory)
  const levels = levelsOf(simulation)
  console.log(`From seed ${first}, for ${milliseconds / 60_000} minutes: ${levels.join(', ')}`)
  const hide = showProgress()
  const startedAt = performance.now()
  const argsOf = (index, count) => [directory, first, index, count, milliseconds, levels.join()]
  await runOnAllCores(program, argsOf, take)
  hide()
  report(simulation, (performance.now() - startedAt) / 1_000)
  const missed = missedMarks(levels)
  if (missed.length > 0) console.log(`Never hit: ${missed.join('; ')}`)
  process.exitCode = missed.length + totals.failures.length === 0 ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
