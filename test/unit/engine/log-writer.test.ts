/** While a lock is held its log has one writer: nothing overtakes, and no version is skipped. */

import { describe, expect, it } from 'vitest'
import { accept, type Result, refuse } from '../../../src/base/result.ts'
import { createLogWriter } from '../../../src/engine/log-writer.ts'
import type { Refusal } from '../../../src/model/refusal.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { AppendRequest } from '../../../src/storage/append.ts'
import { executionId, finished, lock, locked } from '../model/builders.ts'

type Written = Result<ExecutionState, Refusal>

const extension = lock({ lockExpiresAt: 5000 })
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
    const written = createLogWriter(storage, known).append(extension, 1200)
    const events = [{ event: extension, createdAt: 1200 }]
    expect(storage.requests).toEqual([{ executionId, version: 8, events, known }])
    storage.answer(0, accept(locked({ version: 8 })))
    expect(await written).toEqual(accept(locked({ version: 8 })))
  })

  it('append: waits for the one before, and goes on from the state that it left', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const first = writer.append(extension, 1200)
    const second = writer.append(extension, 1300)
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
    const written = writer.append(extension, 1200)
    storage.answer(0, conflict)
    expect(await written).toEqual(conflict)
    expect(writer.known().version).toBe(7)
  })

  it('append: a fault is its own; the next one is tried at the same version', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const first = writer.append(extension, 1200)
    const second = writer.append(extension, 1300)
    storage.answer(0, new Error('the disk is gone'))
    await expect(first).rejects.toThrow('the disk is gone')
    await expect.poll(storage.versions).toEqual([8, 8])
    storage.answer(1, accept(locked({ version: 8 })))
    expect((await second).ok).toBe(true)
  })

  it('known: an end is not a lock, so it is not kept', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    const end = writer.append({ type: 'finished', outcome: { type: 'ok' } }, 1200)
    storage.answer(0, accept(finished({ version: 8 })))
    await end
    expect(writer.known().version).toBe(7)
  })

  it('isWriting: until the last of them is answered', async () => {
    const storage = openStorage()
    const writer = createLogWriter(storage, locked({ version: 7 }))
    expect(writer.isWriting()).toBe(false)
    const first = writer.append(extension, 1200)
    const second = writer.append(extension, 1300)
    storage.answer(0, accept(locked({ version: 8 })))
    await first
    expect(writer.isWriting()).toBe(true)
    await expect.poll(storage.versions).toEqual([8, 9])
    storage.answer(1, conflict)
    await second
    expect(writer.isWriting()).toBe(false)
  })
})
