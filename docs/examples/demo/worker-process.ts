/** A worker as a process of its own, which can be killed. Only what was started here is ended here. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Life } from './picture.ts'

/** A running worker process. */
export interface WorkerProcess {
  readonly pid: number
  /** Sends a signal; resolves when the process is gone. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>
  readonly isAlive: () => boolean
  readonly life: () => Life
}

/** Starts a worker; resolves when its engine runs. */
export async function startWorker(name: string, args: readonly string[]): Promise<WorkerProcess> {
  const from = Date.now()
  const program = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(program, ['worker', ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let killed = false
  let to: number | undefined
  const gone = once(child, 'exit').then(() => {
    to = Date.now()
  })
  await Promise.race([once(child, 'message'), gone])
  const pid = pidOf(child)
  return {
    pid,
    isAlive: () => to === undefined,
    end: async (signal) => {
      killed = signal === 'SIGKILL'
      child.kill(signal)
      await gone
    },
    life: () => ({ label: `${name} ${pid}`, from, to: to ?? Date.now(), killed }),
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the worker process could not be started')
  return pid
}
