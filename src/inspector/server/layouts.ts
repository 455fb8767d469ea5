/**
 * Layouts that are made beside the thread of the engine: elk takes hundreds of milliseconds, in
 * which nothing else would run. Made when they are first asked for, and kept.
 */

import { Worker } from 'node:worker_threads'
import { SteleError } from '../../base/error.ts'
import { type EngineLayouts, layOutEngine } from './engine-charts.ts'

/** Gives the layouts of an engine's machines. Rejects with `internal` when elk fails. */
export type GetLayouts = () => Promise<EngineLayouts>

/** Layouts of the engine's machines; `script` is what runs in the other thread. */
export function createLayouts(script: URL | undefined = builtScript()): GetLayouts {
  let layouts: Promise<EngineLayouts> | undefined
  return () => {
    if (layouts === undefined) {
      layouts = script === undefined ? layOutEngine() : runIn(script)
      layouts.catch(() => {
        // Tried again when they are asked for again.
        layouts = undefined
      })
    }
    return layouts
  }
}

/** A thread runs what the build has made; from source, as in tests, there is nothing to run. */
function builtScript(): URL | undefined {
  return import.meta.url.endsWith('.js')
    ? new URL('./layout-worker.js', import.meta.url)
    : undefined
}

function runIn(script: URL): Promise<EngineLayouts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script)
    // Nobody is kept waiting for a picture that nobody will see.
    worker.unref()
    worker.once('message', resolve)
    worker.once('error', (cause) => {
      reject(failed(cause))
    })
    worker.once('exit', () => {
      reject(failed(undefined))
    })
  })
}

function failed(cause: unknown): SteleError {
  return new SteleError('internal', 'The machines could not be laid out.', { cause })
}
