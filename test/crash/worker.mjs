/**
 * A worker process, run by plain Node on the built package. Whatever its activities do is written to
 * a ledger outside the database, so that what really happened can be compared with the log.
 */

import { appendFileSync } from 'node:fs'
import { createEngine, defineActivity } from '../../dist/src/index.js'

const [, , file, ledger] = process.argv

function note(kind, { executionId, attempt }) {
  appendFileSync(ledger, `${JSON.stringify({ kind, executionId, attempt, pid: process.pid })}\n`)
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

function activity(options, run) {
  return defineActivity(options, async (input, context) => {
    note('begin', context)
    const value = await run(input, context)
    note('end', context)
    return value
  })
}

const retry = { maxRetries: 50, backoff: 10, maxBackoff: 50 }

const functions = [
  activity({ name: 'quick', retry }, (input) => input * 2),
  activity({ name: 'slow', retry }, async (input) => {
    await pause(400 + (input % 5) * 60)
    return input * 2
  }),
  activity({ name: 'flaky', retry }, async (input, { attempt }) => {
    await pause(20)
    if (attempt < 3) throw new Error(`attempt ${attempt} fails`)
    return input * 2
  }),
  activity({ name: 'hanging', retry, timeout: 500 }, (input, { attempt }) =>
    attempt === 1 ? new Promise(() => undefined) : input * 2,
  ),
  activity({ name: 'doomed', retry: { maxRetries: 2, backoff: 10 } }, async () => {
    await pause(10)
    throw new Error('never')
  }),
  activity({ name: 'stuck-once', retry }, async (input, { attempt }) => {
    if (attempt === 1) await pause(60_000)
    return input * 2
  }),
]

const engine = await createEngine({
  storage: file,
  functions,
  logger: false,
  executor: { concurrency: 8, lockExpiry: 400, tickSleep: 50 },
  timersWatcher: { leeway: 100, tickSleep: 50 },
})
await engine.start()
console.log('ready')
