/** Random commands, several at a time: whatever happens, the invariants hold and nothing faults. */

import { describe, expect } from 'vitest'
import { createRandom, type Random } from '../../src/base/random.ts'
import type { Result } from '../../src/base/result.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import type { Cancellations } from '../../src/storage/append.ts'
import type { SendRequest } from '../../src/storage/send.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import {
  askEvent,
  blockingAskEvent,
  cancelledEvent,
  delayEvent,
  failedEvent,
  finishedEvent,
  joinSetEvent,
  lockedEvent,
  openedSet,
  pausedEvent,
  timedOutEvent,
  tryEvent,
  unlockedEvent,
  unpausedEvent,
  upgradeEvent,
  waitEvent,
  withdrawEvent,
} from '../support/storage/events.ts'
import {
  childOf,
  delayOf,
  executionId,
  executorId,
  joinSet,
  runId,
} from '../support/storage/ids.ts'
import {
  activityRequest,
  appendRequest,
  createRequest,
  lockRequest,
  message,
  responseCommand,
} from '../support/storage/requests.ts'
import type { ContractTest } from './contract-test.ts'

const seeds = [1, 2, 3, 4, 5]
const rounds = 50
const commandsAtOnce = 4
const checkEvery = 10

const parents = ['p', 'q']
const ids = [...parents, ...parents.flatMap((id) => [1, 2].map((n) => childOf(id, 'n:boxes', n)))]

/** Declares the rules for one adapter. */
export function describeRandomly(test: ContractTest): void {
  describe('random commands', () => {
    for (const seed of seeds) {
      test(`S1: the invariants hold throughout, seed ${seed}`, async ({ storage }) => {
        const random = createRandom(seed)
        let now = 0
        let acceptedCount = 0
        await storage.createMany(ids.map((id) => pickCreation(random, id, now)))
        for (let round = 0; round < rounds; round += 1) {
          now += pickInteger(random, 400)
          const commands = Array.from({ length: commandsAtOnce }, () => pickCommand(random, now))
          const results = await Promise.all(commands.map((command) => command(storage)))
          acceptedCount += results.filter(({ ok }) => ok).length
          if (round % checkEvery === 0) await checkInvariants(storage)
        }
        expect(acceptedCount).toBeGreaterThan(rounds)
      })
    }
  })
}

type Command = (storage: Storage) => Promise<Result<unknown, unknown>>

function pickCommand(random: Random, now: number): Command {
  const id = pick(random, ids)
  const parent = pick(random, parents)
  const command = { executionId: executionId(id), createdAt: now }
  const index = 1 + pickInteger(random, 3)
  const commands: readonly Command[] = [
    (storage) => storage.create(pickCreation(random, id, now)),
    ...Array.from(
      { length: 8 },
      (): Command => (storage) => appendNext(storage, { random, id, now }),
    ),
    async (storage) => {
      const owner = { executorId: executorId(index), runId: runId(index) }
      const { locked } = await storage.lockDue(() => lockRequest(now, { ...owner, limit: 2 }))
      return { ok: locked.length > 0, value: locked, error: undefined }
    },
    (storage) => storage.respond(responseCommand(parent, message('go'), now)),
    (storage) => storage.send(pickMessage(random, parent, now)),
    (storage) => storage.closeCancelled(command),
    (storage) =>
      storage.endDelay({
        delayId: delayOf(parent, 'n:timers', index),
        createdAt: now,
        result: pick(random, ['ok', 'cancelled']),
      }),
    (storage) => storage.pause(command),
    (storage) => storage.unpause(command),
    (storage) => (random.next() < 0.1 ? storage.cancel(command) : storage.pause(command)),
    (storage) =>
      random.next() < 0.1
        ? storage.complete({ ...command, outcome: { type: 'ok', value: index } })
        : storage.unpause(command),
  ]
  return pick(random, commands)
}

function pickCreation(random: Random, id: string, now: number) {
  const part = { createdAt: now, scheduledAt: now, paused: random.next() < 0.2 }
  return parents.includes(id) ? createRequest(id, part) : activityRequest(id, part)
}

interface Draw {
  readonly random: Random
  readonly id: string
  readonly now: number
}

/** Mostly at the version that was read, so that many are accepted and some come too late. */
async function appendNext(storage: Storage, { random, id, now }: Draw) {
  const state = await storage.findState(executionId(id))
  const version = (state?.version ?? 0) + (random.next() < 0.9 ? 1 : 0)
  const length = 1 + pickInteger(random, 3)
  const events = Array.from({ length }, () => pickEvents(random, id, now)).flat()
  const cancellations = random.next() < 0.2 ? pickCancellations(random) : undefined
  const options = cancellations === undefined ? { at: now } : { at: now, cancellations }
  const isEmpty = cancellations !== undefined && random.next() < 0.3
  return storage.append(appendRequest([id, version, options], isEmpty ? [] : events))
}

/** Of any parent: storage does not ask whose children they are. */
function pickCancellations(random: Random): Cancellations {
  const parent = pick(random, parents)
  const children = [1, 2, 3].map((index) => childOf(parent, 'n:boxes', index))
  const delays = [1, 2, 3].map((index) => delayOf(parent, 'n:timers', index))
  return {
    children: children.filter(() => random.next() < 0.2),
    delays: delays.filter(() => random.next() < 0.4),
  }
}

function pickMessage(random: Random, parent: string, now: number): SendRequest {
  const place = { executionId: executionId(parent), joinSetId: joinSet('m:go'), createdAt: now }
  return random.next() < 0.5 ? place : { ...place, messageId: `m${pickInteger(random, 4)}` }
}

function pickEvents(random: Random, id: string, now: number): readonly ExecutionEvent[] {
  const later = now + pickInteger(random, 300)
  const set = pick(random, ['n:boxes', 'n:timers', 'm:go'])
  const blocking = { seenCursor: pickInteger(random, 6), runExpiresAt: later }
  const owner = pickInteger(random, 3)
  const lock = { executorId: executorId(owner), runId: runId(owner), lockExpiresAt: later + 1 }
  return pick(random, [
    [joinSetEvent(set)],
    [openedSet(set, pick(random, ['cancel', 'await', 'abandon']))],
    [askEvent(set)],
    [blockingAskEvent(set, blocking)],
    [waitEvent(blocking)],
    [askEvent(set), withdrawEvent(set)],
    [tryEvent(pick(random, ['found', 'pending']), set)],
    [delayEvent(parents.includes(id) ? id : 'p', later, { index: 1 + pickInteger(random, 3) })],
    [lockedEvent(lock)],
    [unlockedEvent(later)],
    [failedEvent(later)],
    [timedOutEvent(later)],
    [pausedEvent],
    [unpausedEvent],
    [upgradeEvent({ result: pick(random, ['success', 'failed']) })],
    [random.next() < 0.05 ? finishedEvent() : joinSetEvent(set)],
    [random.next() < 0.1 ? cancelledEvent() : askEvent(set)],
  ])
}

function pickInteger(random: Random, end: number): number {
  return Math.floor(random.next() * end)
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[pickInteger(random, items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}
