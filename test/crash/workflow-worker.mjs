/**
 * A process that runs one workflow with every call of the context, and kills itself at its n-th
 * commit. Run by plain Node on the built package. What steps and activities do is written to a
 * ledger outside the database.
 */

import { appendFileSync } from 'node:fs'
import {
  createEngine,
  defineActivity,
  defineWorkflow,
  err,
  PermanentError,
  unchecked,
} from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'

const [, , file, ledger, killAt, when] = process.argv

function note(kind, key, attempt) {
  appendFileSync(ledger, `${JSON.stringify({ kind, key, attempt })}\n`)
}

/** Every commit of this process is counted; at the chosen one it is gone. */
function killing(driver) {
  let commits = 0
  const die = () => process.kill(process.pid, 'SIGKILL')
  return {
    ...driver,
    write: async (protocol) => {
      commits += 1
      const isLast = commits === Number(killAt)
      if (isLast && when === 'before') die()
      const written = await driver.write(protocol)
      if (isLast && when === 'after') die()
      return written
    },
  }
}

const retry = { maxRetries: 3, backoff: 10 }
const double = defineActivity({ name: 'double', retry }, (input, { idempotencyKey, attempt }) => {
  note('activity', idempotencyKey, attempt)
  if (input === 13) return err('unlucky', { permanent: true })
  if (input === 7 && attempt < 2) throw new Error('not yet')
  return input * 2
})
const sub = defineWorkflow({ name: 'sub' }, async (input, { call, step, sleep }) => {
  const local = await step('in sub', ({ idempotencyKey, attempt }) => {
    note('step', idempotencyKey, attempt)
    return input + 1
  })
  await sleep(5)
  return call(double, local)
})
const everything = defineWorkflow(
  { name: 'everything', messages: { go: unchecked(), stop: unchecked() } },
  async (_input, context) => {
    const { call, outcome, step, sleep, sleepUntil, joinSet, schedule, messages } = context
    const { random, uuid, now, log, patched } = context
    const seen = []
    const noted = (name, code) =>
      step(
        name,
        (about) => {
          note('step', about.idempotencyKey, about.attempt)
          return code(about)
        },
        { retry },
      )
    seen.push(await call(double, 1), await outcome(double, 13), await call(double, 7))
    seen.push(await noted('odd', () => new Map([[1, new Date(0)]])))
    seen.push(
      await noted('again', ({ attempt }) => {
        if (attempt < 3) throw new TypeError('again')
        return attempt
      }),
    )
    try {
      await noted('never', () => {
        throw new PermanentError('never')
      })
    } catch (error) {
      seen.push(error.code)
    }
    await sleep(10)
    await sleepUntil(now() + 5)
    seen.push(random(), uuid(), patched('change'))
    log.info('halfway')
    seen.push(await Promise.allSettled([call(sub, 1), call(double, 2), noted('beside', () => 1)]))
    seen.push(await Promise.race([call(double, 3), sleep('1 day').then(() => 'late')]))
    seen.push(await messages.go.next(), await messages.stop.next({ timeout: '1 day' }))
    seen.push(await messages.go.next({ timeout: 5 }))
    const pool = joinSet('pool', { of: double, concurrency: 2 })
    seen.push(await pool.map(double, [1, 2, 3]))
    const set = joinSet(undefined, { of: [double, sub], onClose: 'await' })
    for (const input of [4, 5]) set.submit(double, input)
    set.submit(sub, 6)
    seen.push(set.tryNext() === undefined)
    const ends = []
    for await (const end of set) ends.push(end.value)
    seen.push(ends.toSorted((left, right) => left - right))
    const timers = joinSet('timers')
    timers.delay('1 day')
    timers.cancel()
    seen.push((await timers.next()).outcome.kind)
    await timers.close()
    seen.push(typeof schedule(double, 8).id)
    void call(sub, 9)
    return seen
  },
)

const engine = await createEngine({
  storage: { open: async (environment) => killing(await sqlite({ file }).open(environment)) },
  functions: [double, sub, everything],
  logger: false,
  executor: { lockExpiry: 300, tickSleep: 20 },
  timersWatcher: { leeway: 20, tickSleep: 20 },
})
await engine.start()
const handle = await engine.submit(everything, undefined, { id: 'w' })
for (const [channel, id] of [
  ['go', 'm1'],
  ['stop', 'm2'],
]) {
  try {
    await handle.send(channel, id, { id })
  } catch (error) {
    if (error.code !== 'already_finished') throw error
  }
}
await handle.outcome()
await engine.stop({ timeout: '10s' })
