/**
 * Are the tests any good? Each mutant is one mistake, made in a copy of the house; the tests it
 * names must fail, and one that `killedBy` matches among them.
 *
 * A mutant is `{ name, file, find, replace, tests, killedBy }`: `find` is exact text that stands
 * once in `file`, `tests` are test files, `killedBy` is matched against full titles. Tables of
 * mutants are the files `*.mutants.mjs` beside this one; to add some, add a file. On the command
 * line, a path that ends so is taken instead of them, and words choose mutants by name.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'

const here = fileURLToPath(new URL('.', import.meta.url))
const top = fileURLToPath(new URL('../..', import.meta.url))
const copied = ['src', 'machines', 'test', 'package.json', 'tsconfig.json']

async function loadMutants(words) {
  const given = words.filter(isTable).map((path) => resolve(path))
  const beside = readdirSync(here)
    .filter(isTable)
    .map((file) => join(here, file))
  const paths = given.length > 0 ? given : beside.toSorted()
  const tables = await Promise.all(paths.map((path) => import(path)))
  const wanted = words.filter((word) => !isTable(word))
  return tables
    .flatMap(({ mutants }) => mutants)
    .filter(({ name }) => wanted.every((word) => name.includes(word)))
}

function isTable(path) {
  return path.endsWith('.mutants.mjs')
}

function copyHouse() {
  const copy = mkdtempSync(join(tmpdir(), 'stele-mutants-'))
  for (const entry of copied) cpSync(join(top, entry), join(copy, entry), { recursive: true })
  symlinkSync(join(top, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** One vitest for all mutants: files are transformed once, the mutated one again. */
async function openVitest(root) {
  const options = {
    config: false,
    root,
    watch: false,
    pool: 'threads',
    isolate: false,
    reporters: [silent],
  }
  const vite = { server: { watch: null }, cacheDir: join(root, '.cache') }
  return createVitest('test', { ...options, include: ['test/**/*.test.ts'] }, vite)
}

const silent = { onInit: () => undefined }

/** Titles of the tests that fail, and of the files that do not even load. */
async function failuresOf(vitest, files) {
  const specs = await vitest.globTestSpecifications(files)
  const { testModules } = await vitest.runTestSpecifications(specs)
  // Vitest gives the modules of earlier runs too, failed as they were under other mutants.
  const asked = new Set(specs.map(({ moduleId }) => moduleId))
  const own = testModules.filter(({ moduleId }) => asked.has(moduleId))
  const broken = own.filter((module) => module.errors().length > 0)
  const failed = own.flatMap((module) => [...module.children.allTests('failed')])
  return {
    titles: failed.map((test) => test.fullName),
    broken: broken.map((module) => module.moduleId),
  }
}

function requireTests(root, files) {
  const missing = files.filter((file) => !existsSync(join(root, file)))
  if (missing.length > 0) throw new Error(`no such tests: ${missing.join(', ')}`)
}

/** The mutated text; an error when the place to mutate is not exactly one. */
function mutate({ file, find, replace }, text) {
  const places = text.split(find).length - 1
  if (places !== 1) throw new Error(`${places} places in ${file} read: ${find}`)
  return text.replace(find, () => replace)
}

async function tryMutant(house, mutant) {
  const path = join(house.root, mutant.file)
  const text = readFileSync(path, 'utf8')
  try {
    requireTests(house.root, mutant.tests)
    writeFileSync(path, mutate(mutant, text))
    house.vitest.invalidateFile(path)
    const { titles, broken } = await failuresOf(house.vitest, mutant.tests)
    if (broken.length > 0) return `BROKEN ${broken.join(', ')} does not load`
    if (titles.length === 0) return 'SURVIVED'
    const killer = titles.find((title) => mutant.killedBy.test(title))
    return killer ?? `MISSED ${titles.length} tests failed, none like ${mutant.killedBy}`
  } catch (error) {
    return `BROKEN ${error.message}`
  } finally {
    writeFileSync(path, text)
    house.vitest.invalidateFile(path)
  }
}

/** Without a mutant every test passes; else a mutant could be killed by what was dead before. */
async function checkHealth(house, mutants) {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))]
  const { titles, broken } = await failuresOf(house.vitest, files)
  for (const title of [...titles, ...broken]) console.log(`FAILS WITHOUT A MUTANT ${title}`)
  return titles.length + broken.length === 0
}

async function runAll(house, mutants) {
  if (!(await checkHealth(house, mutants))) return 1
  let alive = 0
  for (const mutant of mutants) {
    const verdict = await tryMutant(house, mutant)
    const killed = !/^(?:SURVIVED|MISSED|BROKEN)/.test(verdict)
    if (!killed) alive += 1
    console.log(`${killed ? 'killed  ' : 'ALIVE   '} ${mutant.name.padEnd(58)} ${verdict}`)
  }
  console.log(`${mutants.length} mutants, ${mutants.length - alive} killed, ${alive} alive`)
  return alive === 0 && mutants.length > 0 ? 0 : 1
}

const mutants = await loadMutants(process.argv.slice(2))
const root = copyHouse()
const house = { root, vitest: await openVitest(root) }
try {
  process.exitCode = await runAll(house, mutants)
} finally {
  await house.vitest.close()
  rmSync(root, { recursive: true, force: true })
}
