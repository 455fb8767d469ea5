/** Everything that must hold, cheapest first. A step is silent when it is good; the first bad one ends it. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const top = fileURLToPath(new URL('..', import.meta.url))
const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts']

/** The kinds of tests that need no build; the others run the package as it is published. */
const early = ['unit', 'contract', 'property', 'pitfalls', 'seed', 'tidy', 'types']
const late = ['docs', 'package', 'browser', 'mutants', 'simulation', 'crash']

const projects = (names) => names.flatMap((name) => ['--project', name])
const api = (face) => ['api-extractor', 'run', '--config', `test/api-extractor/${face}.jsonc`]

const steps = [
  ['format', 'biome', 'ci', '--error-on-warnings'],
  ['types', 'tsc', '-p', 'test'],
  ['types of the viewer', 'tsc', '--noEmit', '-p', 'src/inspector/viewer'],
  ['types of its tests', 'tsc', '-p', 'test/browser'],
  ['lint', 'oxlint'],
  ['tests', ...vitest, ...projects(early)],
  ['build', 'npm', 'run', 'build'],
  ['api: stele', ...api('index')],
  ['api: stele/sqlite', ...api('sqlite')],
  ['api: stele/inspector', ...api('inspector')],
  ['unused', 'knip', '--config', 'test/knip.jsonc'],
  ['tests of the package', ...vitest, ...projects(late)],
]

for (const [name, command, ...args] of steps) {
  const started = performance.now()
  const run = spawnSync('npx', ['--no', '--', command, ...args], { cwd: top, encoding: 'utf8' })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${run.status === 0 ? 'ok ' : 'BAD'} ${name} (${seconds} s)`)
  if (run.status === 0) continue
  console.log(run.stdout, run.stderr, run.error ?? '')
  process.exit(1)
}
