/** Answers about who executes: executors, what they hold, and the functions that are known. */

import type { PermitCount } from '../../client/client-context.ts'
import { silenceMax } from '../../client/explain.ts'
import { attemptOf, type ExecutionState } from '../../model/state.ts'
import type { RegisteredExecutor } from '../../storage/registry.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'
import type { ExecutorLine, ExecutorsAnswer, FunctionsAnswer } from './wire.ts'

/** Executors in one answer; the ones heard of last. */
const executorsMax = 200
/** Locked executions that are looked at, and shown of each executor. */
const heldMax = 2_000
const shownHeldMax = 50

/** Who executes. */
export async function answerExecutors(
  { context }: ViewerSource,
  _query: Query,
): Promise<ExecutorsAnswer> {
  const { storage, clock } = context
  const permits = context.permits?.()
  const executors = await storage.listExecutors(executorsMax)
  const locked = await storage.listLocked(heldMax)
  const now = clock.now()
  const lines = executors.map((executor) => lineOf(executor, { locked, now, permits }))
  const lags = await Promise.all(lines.map((line) => lagOf(context, line, now)))
  return {
    executors: lines.map((line, index) => {
      const lag = lags[index]
      return lag === undefined ? line : { ...line, lag }
    }),
    now,
  }
}

interface Surroundings {
  readonly locked: readonly ExecutionState[]
  readonly now: number
  readonly permits: ReadonlyMap<string, PermitCount> | undefined
}

function lineOf(
  executor: RegisteredExecutor,
  { locked, now, permits }: Surroundings,
): ExecutorLine {
  const held = locked.flatMap((state) =>
    state.status === 'locked' && state.lastOwner.executorId === executor.executorId
      ? [
          {
            id: state.executionId,
            functionName: state.function.name,
            attempt: attemptOf(state),
            lockExpiresAt: state.lockExpiresAt,
          },
        ]
      : [],
  )
  const own = permits?.get(executor.executorId)
  return {
    ...executor,
    ...(own === undefined ? {} : { permits: own }),
    alive: executor.stoppedAt === undefined && now - executor.lastBeatAt <= silenceMax,
    held: held.slice(0, shownHeldMax),
    heldMore: Math.max(0, held.length - shownHeldMax),
  }
}

/** How long the execution that is due first has waited for an executor such as this one. */
async function lagOf(
  { storage }: ViewerSource['context'],
  { kind, functions, alive }: ExecutorLine,
  now: number,
): Promise<number | undefined> {
  if (!alive) return undefined
  const kinds = kind === 'activities' ? (['activity'] as const) : (['workflow', 'machine'] as const)
  const targets = functions.flatMap((name) =>
    kinds.map((of) => ({
      function: { kind: of, name, version: '' },
      strategy: 'by_name' as const,
    })),
  )
  const dueAt = await storage.findNextDue(targets)
  return dueAt === undefined ? 0 : Math.max(0, now - dueAt)
}

/** Which functions are known. */
export async function answerFunctions(
  { context }: ViewerSource,
  _query: Query,
): Promise<FunctionsAnswer> {
  const found = await context.storage.listFunctions()
  return {
    functions: found.map(({ function: { kind, name, version }, firstSeenAt, lastSeenAt }) => ({
      kind,
      name,
      version,
      firstSeenAt,
      lastSeenAt,
    })),
  }
}
