/** Calls a worker; whatever it throws becomes a result. */

import type { Run, Worker, WorkerResult } from './worker.ts'

/** What the worker says of a run; never rejects. */
export async function runWorker(worker: Worker, run: Run): Promise<WorkerResult> {
  try {
    return await worker.run(run)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the worker failed'
    if (run.state.function.kind === 'activity') return { type: 'activity_trap', reason }
    // What user code does is settled inside the worker: this is a fault of ours, or of the disk.
    return { type: 'limit_reached', reason }
  }
}
