// What a viewer costs: its answers among many executions, and the engine that it looks at.

import { Worker } from 'node:worker_threads'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { openViewer } from '../../dist/src/inspector/server/open-viewer.js'
import { sqlite } from '../../dist/src/sqlite.js'

const many = 100_000
const requests = 60
const token = 'a-token-for-the-bench'
/** Executions of one round, and rounds of each kind; the kinds take turns. */
const perRound = 5_000
const rounds = 7

const filters = {
  'newest first': '',
  'function that many have': '&function=noop',
  'function that nobody has': '&function=other',
  'state that nobody is in': '&status=locked',
  'id prefix of one': '&prefix=first',
  'id prefix of none': '&prefix=zzz',
  'children too': '&children=true',
}

/** Answers of the list among 100,000 executions, in milliseconds, over HTTP. */
export async function measureList({ file, synchronous, payload }) {
  const noop = defineActivity({ name: 'noop' }, (input) => input.n)
  const engine = await createEngine({ storage: sqlite({ file, synchronous }), logger: false })
  await engine.submit(noop, payload, { id: 'first' })
  await engine.submitMany(
    noop,
    Array.from({ length: many }, () => payload),
  )
  const viewer = await openViewer({ engine, token })
  const figures = {}
  for (const [name, query] of Object.entries(filters)) {
    const samples = await timesOf(`http://127.0.0.1:${viewer.port}/api/executions?${query}`)
    const list = `list of ${many.toLocaleString('en')}, ${name}`
    figures[`${list}, median ms`] = percentile(samples, 0.5)
    figures[`${list}, p95 ms`] = percentile(samples, 0.95)
  }
  figures[`${searched} a step, pages to the oldest`] = await stepsToTheOldest(viewer.port)
  await viewer.close()
  await engine.stop()
  return figures
}

const searched = 'search that finds nothing,'

async function stepsToTheOldest(port) {
  let steps = 0
  let after = ''
  do {
    const answer = await ask(`http://127.0.0.1:${port}/api/executions?prefix=zzz&after=${after}`)
    after = answer.next
    steps += 1
  } while (after !== undefined)
  return steps
}

async function ask(url) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

async function timesOf(url) {
  await ask(url)
  const samples = []
  for (let index = 0; index < requests; index += 1) {
    const begin = performance.now()
    await ask(url)
    samples.push(performance.now() - begin)
  }
  return samples
}

function percentile(samples, share) {
  const sorted = samples.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Throughput of an engine: nobody looks, somebody does, and somebody who never reads. */
export async function measureViewed({ file, synchronous, payload }) {
  const noop = defineActivity({ name: 'noop' }, (input) => input.n)
  const engine = await createEngine({
    storage: sqlite({ file, synchronous }),
    functions: [noop],
    logger: false,
  })
  await engine.start()
  const viewer = await openViewer({ engine, token })
  const kinds = { alone: nobody, 'live viewer': somebody, 'viewer that never reads': deaf }
  const rates = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))
  await work(engine, noop, payload)
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, look] of Object.entries(kinds)) {
      const stop = await look(viewer.port)
      rates[kind].push(await work(engine, noop, payload))
      await stop()
    }
  }
  await viewer.close()
  await engine.stop()
  const figures = {}
  for (const [kind, found] of Object.entries(rates)) {
    figures[`${kind}, executions/s`] = percentile(found, 0.5)
    const ratios = found.map((rate, round) => rate / rates.alone[round])
    figures[`${kind}, ratio to alone`] = percentile(ratios, 0.5)
  }
  return figures
}

async function work(engine, noop, payload) {
  const inputs = Array.from({ length: perRound }, () => payload)
  const begin = performance.now()
  const handles = await engine.submitMany(noop, inputs)
  await Promise.all(handles.map((handle) => handle.outcome()))
  return (perRound / (performance.now() - begin)) * 1_000
}

const nobody = () => Promise.resolve(() => Promise.resolve())

const somebody = (port) => startClient(port, 'live')
const deaf = (port) => startClient(port, 'deaf')

/** In a thread of its own: a browser does not use the time of the engine's thread either. */
async function startClient(port, kind) {
  const url = new URL('viewer-client.mjs', import.meta.url)
  const worker = new Worker(url, { workerData: { port, token, kind } })
  await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return () => worker.terminate()
}
