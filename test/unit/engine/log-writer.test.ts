/** While a lock is held its log has one writer: nothing overtakes, and no version is skipped. */

import { describe, expect, it } from 'vitest'
import { accept, type Result, refuse } from '../../../src/base/result.ts'
import { createLogWriter, type LogBatch } from '../../../src/engine/log-writer.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import type { Refusal } from '../../../src/model/refusal.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { AppendRequest } from '../../../src/storage/append.ts'
import { joinSetEvent } from '../../support/storage/events.ts'
import { createRequest } from '../../support/storage/requests.ts'
import { executionId, finished, lock, locked, pending } from '../model/builders.ts'

type Written = Result<ExecutionState, Refusal>

const extension = lock({ lockExpiresAt: 5000 })

/** One event, written at this instant. */
function batch(createdAt: number, event: ExecutionEvent = extension): LogBatch {
  return { events: [event], createdAt }
}

const conflict = refuse({ kind: 'version_conflict', expected: 9, requested: 8 } as const)

/** A storage whose answers a test gives, one for each append, in order. */
function openStorage() {
  const requests: AppendRequest[] = []
  const answers: ((written: Promise<Written>) => void)[] = []
  return {
    requests,
    versions: () => requests.map(({ version }) => version),
    append: (request: AppendRequest) =>
      new Promise<Written>((resolve) => {
        requests.push(request)
        answers.push(resolve)
      }),
    answer: (index: number, written: Written | Error) => {
      const isFault = written instanceof Error
      answers[index]?.(isFault ? Promise.reject(written) : Promise.resolve(written))
    },
  }
}

describe('log writer', () => {
  it('append: goes to the version after the one that is known, at once', async () => {
    const storage = openStorage()
    const known = locked({ version: 7 })
    const written = createLogWriter(storage, known).append(batch(1200))
    const events = [{ event: extension, createdAt: 1200 }]
    expect(storage.requests).toEqual([{ executionId, version: 8, events, createdAt: 1200, known }])
    storage.answer(0, accept(locked({ version: 8 })))
    expect(await written).toEqual(accept(locked({ version: 8 })))
  })

  it('append: waits for the one before, and goes on from the state that it left', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const first = writer.append(batch(1200))
    const second = writer.append(batch(1300))
    expect(storage.versions()).toEqual([8])
    storage.answer(0, accept(locked({ version: 8 })))
    await first
    await expect.poll(storage.versions).toEqual([8, 9])
    storage.answer(1, accept(locked({ version: 9 })))
    await second
    expect(writer.known()).toEqual(locked({ version: 9 }))
  })

  it('append: a refusal is told, and leaves what is known', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const written = writer.append(batch(1200))
    storage.answer(0, conflict)
    expect(await written).toEqual(conflict)
    expect(writer.known().version).toBe(7)
  })

  it('append: a fault is its own; the next one is tried at the same version', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const first = writer.append(batch(1200))
    const second = writer.append(batch(1300))
    storage.answer(0, new Error('the disk is gone'))
    await expect(first).rejects.toThrow('the disk is gone')
    await expect.poll(storage.versions).toEqual([8, 8])
    storage.answer(1, accept(locked({ version: 8 })))
    expect((await second).ok).toBe(true)
  })

  it('known: an end is not a lock, so it is not kept', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const end = writer.append(batch(1200, { type: 'finished', outcome: { type: 'ok' } }))
    storage.answer(0, accept(finished({ version: 8 })))
    await end
    expect(writer.known().version).toBe(7)
  })

  it('version: moves with whatever is written, and `known` only with locks', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    expect(writer.version()).toBe(7)
    const end = writer.append(batch(1200, { type: 'unlocked', dueAt: 1200, reason: 'paused' }))
    storage.answer(0, accept(pending({ version: 9 })))
    await end
    expect([writer.version(), writer.known().version]).toEqual([9, 7])
    const refused = writer.append(batch(1300, { type: 'paused' }))
    // The lock is gone: what comes late must not be taken for the next event.
    expect(storage.requests[1]).toMatchObject({ version: 8, known: { version: 7 } })
    storage.answer(1, conflict)
    await refused
    expect(writer.version()).toBe(9)
  })

  it('batch: its events share one instant, and go with what they bring about', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const creations = [createRequest('child')]
    const cancellations = { children: [executionId], delays: [] }
    const step = joinSetEvent()
    const written = writer.append({
      events: [step, extension],
      createdAt: 1200,
      creations,
      cancellations,
    })
    expect(storage.requests).toMatchObject([
      {
        version: 8,
        events: [
          { event: step, createdAt: 1200 },
          { event: extension, createdAt: 1200 },
        ],
        creations,
        cancellations,
        createdAt: 1200,
      },
    ])
    storage.answer(0, accept(locked({ version: 9 })))
    await written
    expect(writer.version()).toBe(9)
  })

  it('isWriting: until the last of them is answered', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    expect(writer.isWriting()).toBe(false)
    const first = writer.append(batch(1200))
    const second = writer.append(batch(1300))
    storage.answer(0, accept(locked({ version: 8 })))
    await first
    expect(writer.isWriting()).toBe(true)
    await expect.poll(storage.versions).toEqual([8, 9])
    storage.answer(1, conflict)
    await second
    expect(writer.isWriting()).toBe(false)
  })
})
