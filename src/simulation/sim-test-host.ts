/** The environment and the files of this process, for tests of simulations. */

import { readFileSync, writeFileSync } from 'node:fs'
import { createSimTestOn, type DeclareTest, type SimTest } from './sim-test.ts'

/**
 * A `simTest` for a runner: `const simTest = createSimTest(test)`, with the `test` of vitest, Jest
 * or `node:test`. Each `simTest(name, options, scenario)` is a test that explores its seeds, and
 * fails with a report and a repro file. In the environment, `SIM_SEED` runs one seed, `SIM_RUNS`
 * so many, and `SIM_REPRO` the file of that name.
 */
export function createSimTest(declare: DeclareTest): SimTest {
  return createSimTestOn(declare, {
    // oxlint-disable-next-line no-restricted-globals -- tests are steered from the environment
    environment: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    writeFile: writeFileSync,
  })
}
