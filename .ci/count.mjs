/** Counts what vitest reported. Takes the exit code of the tests, prints one line, exits non-zero when any failed. */
import { existsSync, readFileSync } from 'node:fs'

const report = new URL('../node_modules/.cache/stele/tests.json', import.meta.url)
const status = Number(process.argv[2])

function count({ testResults, numPassedTests, numFailedTests, numPendingTests, numTodoTests }) {
  // A file that fails to load has no tests to fail, and counts as one.
  const broken = testResults.filter(
    ({ status: outcome, assertionResults }) =>
      outcome === 'failed' && assertionResults.length === 0,
  )
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
  }
}

const counted = existsSync(report)
  ? count(JSON.parse(readFileSync(report, 'utf8')))
  : { passed: 0, failed: 1, skipped: 0 }
// Tests that end badly without a failing test (an unhandled rejection, no test found) have failed too.
const failed = status === 0 ? counted.failed : Math.max(counted.failed, 1)
const skipped = counted.skipped > 0 ? `, ${counted.skipped} skipped` : ''

console.log(`${counted.passed} passed, ${failed} failed${skipped}`)
process.exitCode = failed > 0 || counted.passed === 0 ? 1 : 0
