import { describe, expect, it } from 'vitest'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import type { ExecutionResponse } from '../../../src/model/response.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import { familyInvariants } from '../../../src/simulation/family-invariants.ts'
import type { ExecutionView, InvariantView } from '../../../src/simulation/invariant.ts'
import type { ListedResponse } from '../../../src/storage/read.ts'
import {
  askEvent,
  childEvent,
  delayEvent,
  openedSet,
  tryEvent,
  withdrawEvent,
} from '../../support/storage/events.ts'
import { childOf, executionId, joinSet } from '../../support/storage/ids.ts'
import { childResponse, delayResponse, message } from '../../support/storage/requests.ts'
import { blocked, events, finished, locked, pending } from '../model/builders.ts'
import { change, logOf, step, verdict, view } from './views.ts'

const parent = { executionId: executionId('a'), joinSetId: joinSet('n:boxes') }
const child = childOf('a')
const { created, finished_ok } = events

function response(told: ExecutionResponse, part: Partial<ListedResponse> = {}): ListedResponse {
  return { cursor: 6, createdAt: 1_000, ordinal: 1, afterVersion: 0, response: told, ...part }
}

/** A child ends, and its parent hears what is given in the same commit. */
function childEnds(told: readonly ListedResponse[]): InvariantView {
  const after = finished({ parent })
  const end = change({ id: child, state: after, steps: [step(finished_ok, { after })] })
  return view([end, change({ responses: told })])
}

function childCreated(log: readonly ExecutionEvent[]): InvariantView {
  const created0 = { ...created, parent }
  return view([
    change({ id: child, steps: [step(created0, { version: 0 })] }),
    change({ events: logOf(...log) }),
  ])
}

/** Blocked at cursor 5, with these asks, and with this in its inbox. */
function waiting(asks: readonly ExecutionEvent[], inbox: readonly ListedResponse[]): InvariantView {
  const state = blocked({ seenCursor: 5 })
  return view([change({ state, events: logOf(...asks), responses: inbox })])
}

/** Blocked for a child that is in this state. */
function waitingFor(state: ExecutionState): InvariantView {
  const asker = { state: blocked({ seenCursor: 5 }), events: logOf(askEvent()) }
  const views: [string, ExecutionView][] = [
    ['a', { ...asker, responses: [] }],
    [child, { state, events: [], responses: [] }],
  ]
  return view([change(asker)], { executions: new Map(views) })
}

/** Something has ended; of a parent in this state a delay is open. */
function delaysAfter(state: ExecutionState): InvariantView {
  const ends = change({ id: 'other', steps: [step(finished_ok, { after: finished() })] })
  const asker: ExecutionView = { state, events: [], responses: [] }
  return view([ends], {
    executions: new Map([['a', asker]]),
    openDelays: () => [{ delayId: 'Delay_a', executionId: 'a' }],
  })
}

function delayFired(createdAt: number): InvariantView {
  const inbox = [response(delayResponse('a'), { createdAt })]
  return view([change({ events: logOf(delayEvent('a', 1_000)), responses: inbox })])
}

/** Everything has come to rest: a parent in this state, and a child that has not ended. */
function atEnd(onClose: 'cancel' | 'abandon', state = finished()): InvariantView {
  const views: [string, ExecutionView][] = [
    ['a', { state, events: logOf(created, openedSet('n:boxes', onClose)), responses: [] }],
    [child, { state: pending({ parent }), events: logOf(created), responses: [] }],
  ]
  return view([], { executions: new Map(views) })
}

const examples: readonly {
  readonly name: string
  readonly broken: InvariantView
  readonly held: InvariantView
}[] = [
  {
    name: 'a child and the response to its parent are one commit',
    broken: childEnds([]),
    held: childEnds([response(childResponse('a'))]),
  },
  {
    name: 'each child and each delay answers once',
    broken: view([
      change({ responses: [response(childResponse('a')), response(childResponse('a'))] }),
    ]),
    held: view([
      change({
        responses: [
          response(childResponse('a')),
          response(childResponse('a', 'n:boxes', 2)),
          response(delayResponse('a')),
          response(message('note')),
          response(message('note')),
        ],
      }),
    ]),
  },
  {
    name: 'children are asked for by their parent',
    broken: childCreated([created]),
    held: childCreated([created, childEvent('a')]),
  },
  {
    name: 'whoever is blocked has no answer',
    broken: waiting([askEvent()], [response(childResponse('a'))]),
    held: waiting([askEvent()], [response(childResponse('a'), { cursor: 5 })]),
  },
  {
    name: 'whoever is blocked can be woken',
    broken: waitingFor(finished({ parent })),
    held: waitingFor(pending({ parent })),
  },
  {
    name: 'no delay fires before it is due',
    broken: delayFired(999),
    held: delayFired(1_000),
  },
  {
    name: 'no delay outlives its answer, or whoever asked for it',
    broken: delaysAfter(finished()),
    held: delaysAfter(pending()),
  },
  {
    name: 'an execution ends once',
    broken: view([change({ steps: [step(finished_ok, { before: finished() })] })]),
    held: view([change({ steps: [step(finished_ok, { before: locked() })] })]),
  },
  {
    name: 'whoever has finished leaves nothing open behind',
    broken: atEnd('cancel'),
    held: atEnd('abandon'),
  },
]

describe.each(examples)('$name', ({ name, broken, held }) => {
  it('is seen to be broken, with the id of whose it is', () => {
    expect(verdict(familyInvariants, name, [broken])).toMatch(/(?:\b|_)a\b/)
  })

  it('is said to hold when it does', () => {
    expect(verdict(familyInvariants, name, [held])).toBeUndefined()
  })
})

it('every invariant of families has an example of both kinds', () => {
  expect(familyInvariants.map(({ name }) => name)).toEqual(examples.map(({ name }) => name))
})

describe('finer points', () => {
  const say = (name: string, seen: InvariantView): string | undefined =>
    verdict(familyInvariants, name, [seen])
  const told = 'a child and the response to its parent are one commit'

  it('a parent must be told of this end, not of another', () => {
    const other = { ...childResponse('a'), finishedVersion: 2 } as ExecutionResponse
    expect(say(told, childEnds([response(other)]))).toContain('was not told with it')
    const sibling = childResponse('a', 'n:boxes', 2)
    expect(say(told, childEnds([response(sibling)]))).toContain('was not told with it')
  })

  it('who has no parent need not tell anybody', () => {
    const after = finished()
    const seen = view([change({ state: after, steps: [step(finished_ok, { after })] })])
    expect(say(told, seen)).toBeUndefined()
  })

  const lost = 'whoever is blocked has no answer'
  const answer = response(childResponse('a'))

  it.each<[string, readonly ExecutionEvent[], boolean]>([
    ['nobody asked', [], false],
    ['the ask was given up', [askEvent(), withdrawEvent()], false],
    ['a look found nothing', [tryEvent('pending')], false],
    ['a look found something', [tryEvent('found')], true],
    ['another set was asked', [askEvent('n:other')], false],
  ])('a response counts as an answer by the asks: %s', (_, asks, isLost) => {
    expect(say(lost, waiting(asks, [answer])) !== undefined).toBe(isLost)
  })

  it('the second response is no answer to the only ask', () => {
    const inbox = [response(childResponse('a'), { ordinal: 2 })]
    expect(say(lost, waiting([askEvent()], inbox))).toBeUndefined()
  })

  it('a delay that nobody asked for must not fire; one that was cancelled may end early', () => {
    const name = 'no delay fires before it is due'
    const stray = view([change({ responses: [response(delayResponse('a'))] })])
    expect(say(name, stray)).toContain('nobody asked for it')
    const cancelled = { ...delayResponse('a'), result: 'cancelled' } as ExecutionResponse
    const early = view([
      change({
        events: logOf(delayEvent('a', 1_000)),
        responses: [response(cancelled, { createdAt: 5 })],
      }),
    ])
    expect(say(name, early)).toBeUndefined()
  })

  it('a child may be open while its parent is', () => {
    const name = 'whoever has finished leaves nothing open behind'
    expect(say(name, atEnd('cancel', pending() as never))).toBeUndefined()
  })
})
