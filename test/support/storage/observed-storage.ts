/** A storage on one observed connection to a file: for tests of what is asked of the database. */

import { openConnection } from '../../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../../src/storage/sqlite/drive.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import {
  askEvent,
  blockingAskEvent,
  childEvent,
  delayEvent,
  finishedEvent,
  joinSetEvent,
  openedSet,
  withdrawEvent,
} from './events.ts'
import { childOf, delayOf, deploymentId, executionId, executorId, joinSet, runId } from './ids.ts'
import { type ObservedConnection, observeConnection } from './observed-connection.ts'
import { type OpenedStorage, overDriver, testEnvironment } from './opened-storage.ts'
import {
  activityRequest,
  createRequest,
  lockRequest,
  lockTarget,
  message,
  responseCommand,
} from './requests.ts'
import { accepted } from './results.ts'
import { append, createLocked, createWorkflow } from './steps.ts'

/** Opens a storage in a file, and shows what its connection is asked. */
export async function openObservedStorage(
  file: string,
): Promise<OpenedStorage & { readonly connection: ObservedConnection }> {
  const environment = testEnvironment()
  const migrated = await openSqlite({ file }, environment)
  await migrated.close()
  const connection = observeConnection(openConnection(file, 0))
  const driver = createSqliteDriver({ connection, file, ...environment })
  return { ...overDriver(driver, environment), connection }
}

/** Uses every method of every port at least once, in one plausible story. */
export async function useEveryPort(storage: Storage): Promise<void> {
  const a = executionId('a')
  await storage.registerFunctions([
    { function: lockTarget().function, firstSeenAt: 0, lastSeenAt: 0 },
  ])
  await createLocked(storage, 'a')
  const creations = [1, 2].map((index) => activityRequest(childOf('a', 'n:boxes', index)))
  const batch = [joinSetEvent(), childEvent('a'), delayEvent('a', 50), blockingAskEvent()]
  await append(storage, ['a', 2, { creations }], batch)
  await storage.createMany([createRequest('b'), createRequest('c')])
  await useTurns(storage)
  await useExecutors(storage)
  await accepted(storage.respond(responseCommand('a', message('go', { messageId: 'm' }))))
  await accepted(storage.setDelayPause({ delayId: delayOf('a'), paused: false }))
  await accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 50, result: 'ok' }))
  await accepted(
    storage.complete({
      executionId: childOf('a', 'n:boxes', 1),
      createdAt: 60,
      outcome: { type: 'ok' },
    }),
  )
  await append(storage, ['a', 6], [blockingAskEvent(), withdrawEvent()])
  await accepted(storage.pause({ executionId: a, createdAt: 70 }))
  await accepted(storage.unpause({ executionId: a, createdAt: 70 }))
  await accepted(storage.cancel({ executionId: a, createdAt: 80 }))
  await storage.findExpired({ locksExpiredBy: 5000, delaysDueBy: 5000, limit: 10 })
  await storage.findNextTimers()
  await storage.closeCancelled({ executionId: a, createdAt: 90 })
  await storage.closeCancelled({ executionId: a, createdAt: 90 })
  await append(storage, ['c', 1], [finishedEvent()])
  await storage.setAside([{ executionId: 'b', reason: 'why' }])
  await useReaders(storage)
}

/** A turn that cancels, messages, and a cancellation that waits for one child and leaves another. */
async function useTurns(storage: Storage): Promise<void> {
  const [awaited, abandoned] = [childOf('d', 'n:awaited'), childOf('d', 'n:abandoned')]
  const boxes = [1, 2].map((index) => childOf('d', 'n:boxes', index))
  await createWorkflow(storage, 'd', { scheduledAt: 9000 })
  const sets = [joinSetEvent('n:boxes'), openedSet('n:awaited', 'await')]
  const asks = [delayEvent('d', 5000), blockingAskEvent('n:boxes')]
  const creations = [...boxes, awaited, abandoned].map((id) => activityRequest(id))
  const events = [...sets, openedSet('n:abandoned', 'abandon'), ...asks]
  await append(storage, ['d', 1, { creations }], events)
  const given = { children: boxes.slice(0, 1), delays: [delayOf('d')] }
  await append(storage, ['d', 6, { cancellations: given }], [askEvent('n:boxes')])
  const rest = { children: boxes.slice(1), delays: [] }
  await append(storage, ['d', 7, { cancellations: rest }], [])
  const go = { executionId: executionId('d'), createdAt: 30, joinSetId: joinSet('m:go') }
  for (const messageId of ['m', 'm', undefined]) await accepted(storage.send({ ...go, messageId }))
  await storage.listChildren({ parentId: executionId('d'), limit: 10 })
  const close = { executionId: executionId('d'), createdAt: 40 }
  await accepted(storage.cancel(close))
  await accepted(storage.closeCancelled(close))
  await accepted(storage.complete({ executionId: awaited, createdAt: 41, outcome: { type: 'ok' } }))
  await accepted(storage.closeCancelled(close))
}

async function useExecutors(storage: Storage): Promise<void> {
  const strategies = ['by_name', 'by_version', 'auto'] as const
  const targets = strategies.map((strategy) => lockTarget({ strategy, limit: 0 }))
  await storage.lockDue(() => lockRequest(20, { targets }))
  await storage.findNextDue(targets)
  await storage.appendRunLogs([
    {
      executionId: executionId('a'),
      runId: runId(),
      createdAt: 5,
      level: 'info',
      message: 'hello',
    },
  ])
  await storage.keepSource({ hash: 'ab', file: 'order.ts', text: 'code' }, 5)
  await storage.beatExecutor({
    executorId: executorId(),
    deploymentId: deploymentId(),
    kind: 'workflows',
    functions: ['checkout'],
    host: 'host',
    pid: 1,
    startedAt: 0,
    lastBeatAt: 0,
  })
}

async function useReaders(storage: Storage): Promise<void> {
  const a = executionId('a')
  await storage.findState(a)
  await storage.findReport(a)
  await storage.findSource('ab')
  await storage.findRecord(a, 10)
  await storage.findEvent(a, 0)
  await storage.findWaits(a)
  await storage.findStates([a])
  await storage.listEvents({ executionId: a, from: 0, limit: 10 })
  await storage.listResponses({ executionId: a, after: 0, limit: 10 })
  await storage.listExecutions({ filter: {}, limit: 10, searchMax: 1 })
  await storage.listLocked(10)
  await storage.listRunLogs({ executionId: a, after: 0, limit: 10 })
  await storage.listFunctions()
  await storage.listExecutors(10)
}
