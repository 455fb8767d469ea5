/** An executor's sign of life in the storage, for `explain`, viewers and other processes. */

import type { Cancel, Milliseconds } from '../base/time.ts'
import type { ExecutorId } from '../model/ids.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'
import { createProblemLog } from './problem-log.ts'

/** How often an executor says that it lives. */
export const beatInterval: Milliseconds = 5_000

/** The machine and process an engine runs in; given, never looked up. */
export interface Host {
  readonly hostname: string
  readonly pid: number
}

/** A sign of life. */
export interface Beat {
  readonly start: () => void
  /** Records the end, once; never rejects. */
  readonly stop: () => Promise<void>
}

/** What it stands on. */
export interface BeatOptions {
  readonly context: EngineContext
  readonly executorId: ExecutorId
  readonly kind: string
  readonly functions: readonly EngineFunction[]
  readonly host: Host
}

/** A sign of life that has not begun. */
export function createBeat(options: BeatOptions): Beat {
  const { context, executorId, kind, host } = options
  const { clock, scheduler, storage, deploymentId } = context
  const problems = createProblemLog(context, 'Recording that the executor lives')
  const functions = options.functions.map(({ id }) => id.name)
  let startedAt: number | undefined
  let timer: Cancel | undefined

  const record = async (stopped: boolean): Promise<void> => {
    const now = clock.now()
    startedAt ??= now
    const ids = { executorId, deploymentId, kind, functions }
    const times = { startedAt, lastBeatAt: now, ...(stopped ? { stoppedAt: now } : {}) }
    try {
      await storage.beatExecutor({ ...ids, ...times, host: host.hostname, pid: host.pid })
      problems.worked()
    } catch (cause) {
      problems.failed(cause)
    }
  }
  const beatOn = (): void => {
    timer = scheduler.after(beatInterval, beatOn, 'watch')
    void record(false)
  }
  return {
    start: beatOn,
    stop: async () => {
      if (timer === undefined) return
      timer()
      timer = undefined
      await record(true)
    },
  }
}
