import { describe, expect, it } from 'vitest'
import type { ListedResponse } from '../../../../src/storage/read.ts'
import { Inbox } from '../../../../src/workers/workflow/inbox.ts'
import { joinSet } from '../../../support/storage/ids.ts'

const go = joinSet('m:go')
const stop = joinSet('m:stop')
const other = joinSet('m:other')

function message(cursor: number, joinSetId = go): ListedResponse {
  const place = { cursor, createdAt: cursor, ordinal: 1, afterVersion: 0 }
  return { ...place, response: { type: 'message', joinSetId } }
}

function ask() {
  return { onAnswer: () => undefined }
}

describe('Inbox', () => {
  it('take: the k-th response of a set answers its k-th ask', () => {
    const inbox = new Inbox()
    const [first, second] = [ask(), ask()]
    inbox.ask(go, first)
    inbox.ask(go, second)
    inbox.add([message(1), message(2)])
    expect(inbox.take()).toEqual({ response: message(1), ask: first })
    expect(inbox.take()?.ask).toBe(second)
    expect(inbox.take()).toBeUndefined()
  })

  it('take: of all that answer an ask, the lowest cursor', () => {
    const inbox = new Inbox()
    inbox.add([message(1, other), message(2, stop), message(3, go), message(4, stop)])
    inbox.ask(go, ask())
    inbox.ask(stop, ask())
    inbox.ask(stop, ask())
    const order = [inbox.nextCursor()]
    for (let answer = inbox.take(); answer !== undefined; answer = inbox.take()) {
      order.push(answer.response.cursor)
    }
    expect(order).toEqual([2, 2, 3, 4])
    expect(inbox.nextCursor()).toBeUndefined()
    inbox.ask(other, ask())
    expect(inbox.nextCursor()).toBe(1)
  })

  it('take: however many sets are ready, in order', () => {
    const inbox = new Inbox()
    const cursors = [5, 3, 9, 1, 7, 2, 8, 4, 6]
    const ascending = cursors.toSorted((left, right) => left - right)
    for (const cursor of ascending) inbox.add([message(cursor, joinSet(`m:c${cursor}`))])
    for (const cursor of cursors) inbox.ask(joinSet(`m:c${cursor}`), ask())
    const taken = cursors.map(() => inbox.take()?.response.cursor)
    expect(taken).toEqual(ascending)
  })

  it('openAsks: asked, minus answered and withdrawn', () => {
    const inbox = new Inbox()
    const given = ask()
    inbox.ask(go, given)
    inbox.ask(go, ask())
    inbox.ask(go, ask())
    expect(inbox.openAsks()).toBe(3)
    inbox.add([message(1)])
    inbox.take()
    expect(inbox.openAsks()).toBe(2)
    inbox.withdraw(go, given)
    expect(inbox.openAsks()).toBe(2)
  })

  it('withdraw: the response goes to the next ask', () => {
    const inbox = new Inbox()
    const [first, second] = [ask(), ask()]
    inbox.ask(go, first)
    inbox.ask(go, second)
    inbox.withdraw(go, first)
    inbox.add([message(1)])
    expect(inbox.take()?.ask).toBe(second)
  })

  it('withdraw: a set whose only ask is withdrawn has nothing to deliver, until asked again', () => {
    const inbox = new Inbox()
    const first = ask()
    inbox.ask(go, first)
    inbox.ask(stop, ask())
    inbox.add([message(1, go), message(2, stop)])
    inbox.withdraw(go, first)
    expect(inbox.nextCursor()).toBe(2)
    inbox.ask(go, ask())
    expect(inbox.nextCursor()).toBe(1)
  })

  it('withdraw: of one that was never ready changes nothing', () => {
    const inbox = new Inbox()
    const first = ask()
    inbox.ask(go, first)
    inbox.withdraw(go, first)
    inbox.withdraw(go, first)
    expect(inbox.openAsks()).toBe(0)
    expect(inbox.nextCursor()).toBeUndefined()
  })

  it('takeUnasked: only what answers no ask', () => {
    const inbox = new Inbox()
    expect(inbox.hasUnasked(go)).toBe(false)
    inbox.add([message(1), message(2)])
    expect(inbox.hasUnasked(go)).toBe(true)
    expect(inbox.takeUnasked(go)).toEqual(message(1))
    inbox.ask(go, ask())
    expect(inbox.hasUnasked(go)).toBe(false)
    expect(inbox.takeUnasked(go)).toBeUndefined()
    expect(inbox.take()?.response).toEqual(message(2))
    expect(inbox.takeUnasked(go)).toBeUndefined()
  })

  it('forget: a set that nobody asks begins anew; one that is asked is kept', () => {
    const inbox = new Inbox()
    inbox.add([message(1)])
    inbox.forget(go)
    expect(inbox.hasUnasked(go)).toBe(false)
    inbox.ask(stop, ask())
    inbox.forget(stop)
    inbox.forget(other)
    inbox.add([message(2, stop)])
    expect(inbox.nextCursor()).toBe(2)
  })

  it('seen: the highest cursor, asked for or not', () => {
    const inbox = new Inbox()
    expect(inbox.seen()).toBe(0)
    inbox.add([message(3), message(7, stop)])
    expect(inbox.seen()).toBe(7)
  })
})
