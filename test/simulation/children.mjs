/** Child processes that print lines of JSON. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'

/** Runs a program; resolves when it has ended well, rejects with what it complained of. */
export function runProgram(program, args, onLine) {
  const child = spawn(process.execPath, [program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-errorsMax)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLine(JSON.parse(line))
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${code}: ${errors}`))
    })
  })
}

/** Characters of what a program complains of that are kept; the last ones. */
const errorsMax = 4_000

/** One child per core; each is told its index, and how many there are. */
export async function runOnAllCores(program, argsOf, onLine) {
  const count = availableParallelism()
  const children = Array.from({ length: count }, (_, index) =>
    runProgram(program, argsOf(index, count), onLine),
  )
  await Promise.all(children)
}

/** Where the seeds of a sweep begin, for each turn of each child. */
export function seedOf({ first, turn, index, count, turnSeeds }) {
  return first + (turn * count + index) * turnSeeds
}

/** Adds numbers by name. */
export function addAll(sums, more) {
  for (const [key, count] of Object.entries(more)) sums[key] = (sums[key] ?? 0) + count
}
