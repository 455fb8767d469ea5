import { type ExecutionTree, formatTimeline, isSteleError } from 'stele'
import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/client/timeline-canvas.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { type At, treeOf } from '../../support/execution-trees.ts'
import {
  blockingAskEvent,
  childEvent,
  createdEvent,
  delayEvent,
  failedEvent,
  finishedEvent,
  lockedEvent,
  timedOutEvent,
} from '../../support/storage/events.ts'
import { executorId, runId } from '../../support/storage/ids.ts'
import { childResponse, delayResponse, message } from '../../support/storage/requests.ts'

const escape = '\u001B'
const second = 1_000
const lock = (run: number) => lockedEvent({ runId: runId(run), lockExpiresAt: 100 * second })

/** Charges, sleeps, waits for a message, and ends: with one child that fails once. */
const order = treeOf('order-1', {
  events: [
    [0, createdEvent()],
    [0, lock(1)],
    [second, childEvent('order-1')],
    [second, blockingAskEvent('n:boxes')],
    [4 * second, lock(2)],
    [5 * second, delayEvent('order-1', 8 * second)],
    [5 * second, blockingAskEvent('n:timers', { seenCursor: 1 })],
    [8 * second, lock(3)],
    [9 * second, blockingAskEvent('m:approve', { seenCursor: 2 })],
    [12 * second, lock(4)],
    [13 * second, finishedEvent({ type: 'ok', value: { receipt: 'R-1' } })],
  ],
  responses: [
    [4 * second, childResponse('order-1')],
    [8 * second, delayResponse('order-1')],
    [12 * second, message('approve')],
  ],
  children: [
    treeOf('order-1.n:boxes_1', {
      item: { attempt: 2 },
      events: [
        [second, createdEvent({ scheduledAt: second })],
        [second, lock(5)],
        [2 * second, failedEvent(3 * second)],
        [3 * second, lock(6)],
        [4 * second, finishedEvent()],
      ],
    }),
  ],
})

function leaves(count: number, failed = 0): readonly ExecutionTree[] {
  return Array.from({ length: count }, (_, index) =>
    treeOf(`order-1.n:boxes_${index + 1}`, {
      item: index < failed ? { outcomeType: 'err' } : { outcomeType: 'ok' },
      events: [
        [0, createdEvent()],
        [0, lock(1)],
        [9, finishedEvent()],
      ],
    }),
  )
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map(widthOf))
}

describe('formatTimeline', () => {
  it('draws what went on, to scale', () => {
    expect(`\n${formatTimeline(order, { columns: 80 })}\n`).toMatchInlineSnapshot(`
      "
      execution          ╷0 s              ╷5 s               ╷10 s       att  outcome
      checkout order-1   ━━━━──────────━━━━━~~~~~~~~~~━━━━━??????????▼━━✓   1  ok R-1
      └ charge n:boxes_1    ━━━━×┄┄┄━━━✓                                    2  ok done

      ━ runs   ─ waits for children   ~ sleeps   ? waits for a message   ┄ backoff
      ▼ message   × attempt failed   ✓ ok
      "
    `)
  })

  it('draws moments through all lines', () => {
    const moments = [{ at: 13.5 * second, label: 'kill -9' }]
    const now = new Date(14 * second)
    const text = formatTimeline(order, { columns: 80, moments, now })
    const [, moment = '', ...rows] = text.split('\n')
    const column = moment.indexOf('┊')
    expect(moment).toContain('kill -9')
    expect(rows.slice(0, 2).map((row) => row[column])).toEqual(['┊', '┊'])
  })

  it.each([60, 61, 80, 100, 140, 200])('fits %s columns', (columns) => {
    const long = treeOf('x'.repeat(128), { children: leaves(3), events: [[0, createdEvent()]] })
    for (const tree of [order, long]) {
      expect(widest(formatTimeline(tree, { columns }))).toBeLessThanOrEqual(columns)
    }
  })

  it('takes a narrow terminal for one of 60 columns', () => {
    expect(formatTimeline(order, { columns: 10 })).toBe(formatTimeline(order, { columns: 60 }))
  })

  it('uses colours when it is asked to, and only then', () => {
    expect(formatTimeline(order)).not.toContain(escape)
    const painted = formatTimeline(order, { colours: true })
    expect(painted).toContain(escape)
    const codes = new RegExp(`${escape}\\[\\d+m`, 'g')
    const bare = painted.split('\n').map((line) => line.replace(codes, '').trimEnd())
    expect(bare.join('\n')).toBe(formatTimeline(order))
  })

  it('lets no text of a user reach the terminal as a command', () => {
    const reason = `no\n${escape}[31msuch address`
    const outcome = { type: 'execution_failure', kind: 'uncategorized', reason } as const
    const tree = treeOf('a', {
      events: [
        [0, createdEvent()],
        [9, finishedEvent(outcome)],
      ],
    })
    const text = formatTimeline(tree)
    expect(text).not.toContain(escape)
    expect(text).toContain('no [31msuch')
  })

  it('counts the children that it does not show', () => {
    const tree = treeOf('order-1', { children: leaves(300, 2), events: [[0, createdEvent()]] })
    const text = formatTimeline(tree, { children: 5 })
    expect(text).toContain('n:boxes_5')
    expect(text).not.toContain('n:boxes_6')
    expect(text).toContain('└ … 295 more: 295 ok')
    expect(formatTimeline(tree, { children: 0 })).toContain('└ … 300 more: 2 err, 298 ok')
    expect(
      formatTimeline(tree)
        .split('\n')
        .filter((line) => line.includes('boxes')),
    ).toHaveLength(20)
  })

  it('says when there are more than were read', () => {
    const tree = treeOf('order-1', {
      children: leaves(2),
      events: [[0, createdEvent()]],
      hidden: true,
    })
    expect(formatTimeline(tree)).toContain('└ … more were not read')
    expect(formatTimeline(tree, { children: 1 })).toContain('… 1 more: 1 ok; more were not read')
  })

  it('names a child by what its parent does not say, and a call by its number', () => {
    const children = [treeOf('order-1.o:2-charge_1'), treeOf('order-1.n:boxes_7')]
    const text = formatTimeline(treeOf('order-1', { children }))
    expect(text).toMatch(/^├ charge o:2 /m)
    expect(text).toMatch(/^└ charge n:boxes_7 /m)
  })

  it.each<[string, ExecutionTree | readonly ExecutionTree[]]>([
    ['without a log', treeOf('a')],
    ['of which nothing is known', treeOf('a', { events: [] })],
    ['that has only been created', treeOf('a', { events: [[5, createdEvent()]] })],
    [
      'that took no time',
      treeOf('a', {
        events: [
          [5, createdEvent()],
          [5, finishedEvent()],
        ],
      }),
    ],
    [
      'that runs still',
      treeOf('a', {
        events: [
          [5, createdEvent()],
          [5, lock(1)],
        ],
      }),
    ],
    [
      'that took years',
      treeOf('a', {
        events: [
          [0, createdEvent()],
          [1e12, finishedEvent()],
        ],
      }),
    ],
    ['that is no execution at all', []],
  ])('draws one %s', (_, tree) => {
    for (const columns of [60, 100, 200]) {
      const text = formatTimeline(tree, { columns })
      expect(widest(text)).toBeLessThanOrEqual(columns)
      expect(text).toMatch(/^execution +╷0/)
    }
  })

  it('draws what has not finished up to now', () => {
    const tree = treeOf('a', {
      events: [
        [0, createdEvent()],
        [0, lock(1)],
      ],
    })
    const text = formatTimeline(tree, { now: second, columns: 100 })
    expect(text).toMatch(/^checkout a +━{60,} +1 {2}is running$/m)
  })

  it('tells a process that has died from an attempt that took too long', () => {
    const held = (by: number, run: number) =>
      lockedEvent({ executorId: executorId(by), runId: runId(run), lockExpiresAt: second })
    const events = (by: number): readonly At<ExecutionEvent>[] => [
      [0, createdEvent()],
      [0, held(1, 1)],
      [second, timedOutEvent(second)],
      [2 * second, held(by, 2)],
    ]
    const draw = (tree: ExecutionTree): string => formatTimeline(tree).split('\n')[1] ?? ''
    expect(draw(treeOf('a', { events: events(2) }))).toContain('░')
    expect(draw(treeOf('a', { events: events(1) }))).toContain('┤')
    const alive = treeOf('a.o:1-charge_1', { events: [[3 * second, held(1, 3)]] })
    expect(draw(treeOf('a', { events: events(2), children: [alive] }))).toContain('┤')
  })

  it('draws several below each other on one axis', () => {
    const other = treeOf('b', { events: [[26 * second, createdEvent({ scheduledAt: 0 })]] })
    const lines = formatTimeline([order, other], { columns: 100 }).split('\n')
    const [first = '', second_ = ''] = [lines[1], lines[3]]
    expect(first).toMatch(/^checkout order-1 /)
    expect(first.indexOf('✓')).toBeLessThan(second_.indexOf('1  is due'))
  })

  it.each([
    ['columns', 0],
    ['columns', 1.5],
    ['children', -1],
    ['colours', 'yes'],
    ['width', 80],
  ])('refuses %s: %s', (name, value) => {
    const options: object = { [name]: value }
    let caught: unknown
    try {
      formatTimeline(order, options)
    } catch (error) {
      caught = error
    }
    expect(isSteleError(caught, 'invalid_option')).toBe(true)
  })
})
