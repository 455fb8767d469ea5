/** Copies of the built package, each with one bug in it, and what the exploration finds there. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, directoryOf } from '../build.mjs'
import { runProgram } from '../children.mjs'

const program = fileURLToPath(new URL('find.mjs', import.meta.url))

/** Most seeds until a bug has to be found, */
export const seedsMax = 2_000
/** and most choices and milliseconds that making it smaller may leave, and take. */
export const choicesMax = 60
export const shrinkMsMax = 10_000

/** A zoo of its own: several may be open at once. */
export function openZoo(name) {
  const base = build(`${name}/sound`)
  return {
    base,
    close: () => rmSync(directoryOf(name), { recursive: true, force: true }),
    /** Explores what was built, as it is. */
    exploreSound: (seeds = seedsMax) => explore(base, seeds),
    /** Explores a copy with this bug; rejects when it cannot be put there. */
    explore: async (bug, seeds = seedsMax) => {
      const cage = directoryOf(`${name}/${slugOf(bug)}`)
      cpSync(base, cage, { recursive: true })
      try {
        for (const edit of bug.edits) spoil(join(cage, 'dist', edit.file), edit)
        return await explore(cage, seeds)
      } finally {
        rmSync(cage, { recursive: true, force: true })
      }
    },
  }
}

/** What is wrong with a finding, or nothing. */
export function complaintOf({ invariant, choices, shrinkMs }) {
  if (invariant === undefined) return 'not found'
  if (choices.smallest > choicesMax) return `${choices.smallest} choices are too many`
  if (shrinkMs > shrinkMsMax) return `${shrinkMs} ms to make it smaller are too many`
  return undefined
}

/** Works on all of them, so many at a time; gives the answers in their order. */
export async function inTurns(items, width, work) {
  const waiting = [...items.entries()]
  const answers = []
  const goOn = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, item] = next
      answers[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: width }, goOn))
  return answers
}

/** The name of a bug, as a part of file names. */
export function slugOf({ name }) {
  return name.replaceAll(/[^a-z]+/g, '-')
}

/** Exactly one place must read so: a bug that is in no code finds nothing out. */
function spoil(path, { file, find, replace }) {
  const text = readFileSync(path, 'utf8')
  const places = text.split(find).length - 1
  if (places !== 1) throw new Error(`${places} places in ${file} read: ${find}`)
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
}

async function explore(directory, seeds) {
  let found
  await runProgram(program, [directory, seeds], (line) => {
    found = line
  })
  return found
}
