/** Events and snapshots in frames. */

import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { createFrameValues, type FrameValuesOptions } from '../../../src/inspector/frame-values.ts'
import { createSessionNames } from '../../../src/inspector/session-names.ts'

const card = { number: '4242', items: ['tea'] }

function values(options: Partial<FrameValuesOptions> = {}): ReturnType<typeof createFrameValues> {
  const sessions = createSessionNames()
  return createFrameValues({ redact: undefined, charsMax: 1000, sessions, ...options })
}

describe('values in frames', () => {
  it('an event is shown whole', () => {
    const event = { type: 'PAID', card }
    expect(values().event(event, 'order-1')).toEqual(event)
  })

  it('of a snapshot those fields are shown that people look for', () => {
    const machine = createMachine({
      id: 'm',
      context: { card },
      initial: 'on',
      states: { on: { tags: ['ready'] } },
    })
    const snapshot = createActor(machine).start().getSnapshot()
    expect(values().snapshot(snapshot, 'm')).toEqual({
      status: 'active',
      value: 'on',
      tags: ['ready'],
      context: { card },
    })
  })

  it('children are shown by name', () => {
    const child = createActor(createMachine({ id: 'child' }))
    const shown = values().snapshot({ status: 'active', children: { [child.id]: child } }, 'm')
    expect(shown['children']).toEqual({ child: { xstate$$type: 1, id: 'child' } })
  })

  it('redaction comes before anything is looked at', () => {
    const looked: string[] = []
    const secret = {
      get number(): string {
        looked.push('number')
        return '4242'
      },
    }
    const redact = vi.fn(() => 'hidden')
    const shown = values({ redact }).snapshot(
      { status: 'done', context: secret, output: secret },
      'm',
    )
    expect(shown).toEqual({ status: 'done', context: 'hidden', output: 'hidden' })
    expect(looked).toEqual([])
    expect(redact.mock.calls).toEqual([
      [secret, { kind: 'output', sessionId: 'm' }],
      [secret, { kind: 'context', sessionId: 'm' }],
    ])
  })

  it('a redacted event keeps its type', () => {
    const redact = (): unknown => 'hidden'
    const shown = values({ redact }).event({ type: 'PAID', card }, 'm')
    expect(shown).toEqual({ type: 'PAID', event: 'hidden' })
  })

  it('where the redaction throws, nothing is shown', () => {
    const redact = (): unknown => {
      throw new TypeError('no')
    }
    expect(values({ redact }).event({ type: 'PAID', card }, 'm')).toEqual({
      type: 'PAID',
      event: '[could not be redacted]',
    })
  })

  it('a large context is cut, and the state is not', () => {
    const context = { text: 'x'.repeat(100_000) }
    const shown = values().snapshot({ status: 'active', value: 'on', context }, 'm')
    expect(shown.value).toBe('on')
    expect(JSON.stringify(shown).length).toBeLessThan(1500)
    expect(JSON.stringify(shown)).toContain('[cut: too large to show]')
  })

  it('a snapshot that was shown before is the same object', () => {
    const own = values()
    const snapshot = { status: 'active', value: 'on' }
    expect(own.snapshot(snapshot, 'a')).toBe(own.snapshot(snapshot, 'b'))
  })

  it.each([undefined, null, 'text', 7])('%j is no snapshot, and shown as one that lives', (odd) => {
    expect(values().snapshot(odd, 'm')).toEqual({ status: 'active' })
  })
})
