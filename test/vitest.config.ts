/** How the tests run: one project a kind, so that a kind can be asked for by name. */
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type TestProjectConfiguration } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

/** Tests import the package by its name and get its source. */
const alias = [
  { find: /^stele$/, replacement: source('index.ts') },
  { find: /^stele\/([a-z-]+)$/, replacement: source('$1.ts') },
]

/**
 * Packages give tests the build that they give users. Vitest would ask for their development build,
 * and offers no option against it; xstate has one, which behaves differently.
 */
const productionBuilds: Plugin = {
  name: 'production-builds',
  enforce: 'post',
  configResolved: (config) => {
    for (const { resolve } of [config, config.ssr, ...Object.values(config.environments)]) {
      if (resolve?.conditions === undefined) continue
      resolve.conditions = resolve.conditions.filter((name) => !name.startsWith('development'))
    }
  },
}

/** Milliseconds a test may take, for kinds that do more than compute. */
const timeouts = {
  simulation: 60_000,
  crash: 120_000,
  docs: 120_000,
  package: 120_000,
  mutants: 180_000,
  browser: 60_000,
} as const

function kind(name: string, timeout = 10_000): TestProjectConfiguration {
  return {
    root,
    resolve: { alias },
    plugins: [productionBuilds],
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      environment: 'node',
      allowOnly: false,
      testTimeout: timeout,
      hookTimeout: timeout,
      typecheck: { enabled: false },
    },
  }
}

const types: TestProjectConfiguration = {
  root,
  test: {
    name: 'types',
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      checker: 'tsc',
      tsconfig: 'test/tsconfig.json',
      include: ['test/types/**/*.test-d.ts'],
    },
  },
}

export default defineConfig({
  test: {
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: `${root}node_modules/.cache/stele/tests.json` }]],
    projects: [
      kind('unit'),
      kind('property'),
      kind('seed'),
      kind('mutants', timeouts.mutants),
      kind('contract'),
      kind('pitfalls'),
      kind('simulation', timeouts.simulation),
      kind('crash', timeouts.crash),
      kind('docs', timeouts.docs),
      kind('package', timeouts.package),
      kind('browser', timeouts.browser),
      kind('tidy', 30_000),
      types,
    ],
  },
})
