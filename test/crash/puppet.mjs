/**
 * A process with an engine, run by plain Node on the built package, that a test drives one command
 * at a time. What its functions do goes to a ledger outside the database; what its engine logs, and
 * whatever nobody has caught, is kept and can be asked for.
 */

import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createEngine, defineActivity, defineWorkflow, unchecked } from '../../dist/src/index.js'
import { makeTraffic } from './traffic.mjs'

const [, , file, ledger, name] = process.argv

const uncaught = []
process.on('unhandledRejection', (error) => uncaught.push(String(error)))
process.on('uncaughtException', (error) => uncaught.push(String(error)))

const lines = []
const keep = (level) => (fields, message) => lines.push({ level, message, code: fields.err?.code })
const logger = { debug: () => {}, info: keep('info'), warn: keep('warn'), error: keep('error') }

function note(kind, { executionId, attempt }, more) {
  const line = { kind, executionId, attempt, pid: process.pid, at: Date.now(), ...more }
  appendFileSync(ledger, `${JSON.stringify(line)}\n`)
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new Error('told to end', { cause: signal.reason }))
    })
  })
}

const die = () => process.kill(process.pid, 'SIGKILL')
const retry = { maxRetries: 50, backoff: 10, maxBackoff: 50 }

function activity(options, run) {
  return defineActivity({ retry, ...options }, async (input, context) => {
    note('begin', context)
    const { signal } = context
    const abort = () => note('abort', context, { code: signal.reason?.code })
    signal.addEventListener('abort', abort)
    const value = await run(input, context)
    signal.removeEventListener('abort', abort)
    note('end', context)
    return value
  })
}

const echo = activity({ name: 'echo' }, (input) => input)
/** Executed by this process alone: how soon does it hear of what others submit? */
const home = defineActivity({ name: `home-${name}` }, (submittedAt, context) => {
  note('begin', context, { delay: Date.now() - submittedAt })
})
const hang = activity({ name: `hang-${name}` }, (_, { signal }) => pause(60_000, signal))
/** Somebody's: whoever takes it holds it until told to stop. */
const long = activity({ name: 'long' }, (_, { signal }) => pause(60_000, signal))
const deaf = activity({ name: 'deaf' }, () => pause(60_000))
const brief = activity({ name: 'brief' }, (milliseconds) => pause(milliseconds))
const deadly = activity(
  { name: 'deadly', lockExpiry: 200, retry: { maxRetries: 2, backoff: 10 } },
  die,
)
const order = defineWorkflow(
  { name: 'order', messages: { go: unchecked() } },
  async (input, { call, step, sleep, messages }) => {
    const first = await call(echo, input)
    const second = await step('add', () => first + 1)
    await sleep(20)
    const sent = await messages.go.next({ timeout: 200 })
    return [second, sent === undefined]
  },
)
/** Kills whoever runs it, before anything is recorded. */
const fatal = defineWorkflow({ name: 'fatal', lockExpiry: 200 }, async (_, { executionId }) => {
  note('begin', { executionId, attempt: 0 })
  die()
})
const timer = defineWorkflow({ name: 'timer' }, async (milliseconds, { sleep, executionId }) => {
  await sleep(milliseconds)
  note('fired', { executionId, attempt: 0 })
})

const functions = [echo, home, hang, long, deaf, brief, deadly, order, fatal, timer]
let engine
const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()

const handleOf = (id, fn) => engine.get(id, fn)
const commands = {
  open: async ({ only, at = 0, ...options } = {}) => {
    // At the same instant as others, to the millisecond.
    while (Date.now() < at);
    const executed =
      only === undefined ? functions : functions.filter((fn) => only.includes(fn.name))
    engine = await createEngine({ storage: file, functions: executed, logger, ...options })
  },
  start: () => engine.start(),
  stop: (options) => engine.stop(options),
  submit: async (fn, input, options) => {
    const { id } = await engine.submit(refOf(fn), input, options)
    return id
  },
  submitMany: async (fn, inputs) => {
    const handles = await engine.submitMany(refOf(fn), inputs)
    return handles.map(({ id }) => id)
  },
  send: async (id, payload) => (await handleOf(id, order)).send('go', payload),
  cancel: async (id) => (await handleOf(id)).cancel(),
  outcome: async (id, options) => (await handleOf(id)).outcome(options),
  state: async (id) => (await handleOf(id)).state(),
  explain: async (id) => (await handleOf(id)).explain(),
  types: async (id) => (await (await handleOf(id)).log()).events.map(({ type }) => type),
  count: async (query) => {
    let count = 0
    for (let after; ; ) {
      const { items, next } = await engine.list(query, { limit: 1_000, after })
      count += items.length
      if (next === undefined) return count
      after = next
    }
  },
  traffic: (options) => makeTraffic(engine, { functions: { echo, order, long }, ...options }),
  log: () => lines,
  uncaught: () => uncaught,
  longestBlock: () => delays.max / 1e6,
  forgetBlocks: () => delays.reset(),
  /** Ends by itself, as soon as nothing is left that keeps it alive. */
  leave: () => setImmediate(() => process.disconnect()),
}

function refOf(fn) {
  return functions.find((one) => one.name === fn) ?? defineActivity({ name: fn }).stub()
}

async function answer({ call, command, args }) {
  try {
    const value = await commands[command](...args)
    process.send({ call, value })
  } catch (error) {
    const { code, message } = error
    process.send({ call, error: { code, message } })
  }
}

process.on('message', (asked) => void answer(asked))
process.send({ call: 0 })
