/** A worker as a process of its own, which can be killed. Only what was started here is ended here. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A running worker process. */
export interface WorkerProcess {
  readonly pid: number
  /** When its engine ran. */
  readonly startedAt: number
  /** Sends a signal; resolves when the process is gone. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>
  readonly isAlive: () => boolean
}

/** Starts a worker; resolves when its engine runs. */
export async function startWorker(args: readonly string[]): Promise<WorkerProcess> {
  const program = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(program, ['worker', ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let isAlive = true
  const gone = once(child, 'exit').then(() => {
    isAlive = false
  })
  await Promise.race([once(child, 'message'), gone])
  return {
    pid: pidOf(child),
    startedAt: Date.now(),
    isAlive: () => isAlive,
    end: async (signal) => {
      child.kill(signal)
      await gone
    },
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the worker process could not be started')
  return pid
}
