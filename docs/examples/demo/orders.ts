/** The orders of the demo, and what the world will do to each: the same on every run. */

/** What a service of the outside world does when it is asked. */
export type Turn =
  /** Answers after a while. */
  | 'ok'
  /** Says that it is down. */
  | 'down'
  /** Never answers. */
  | 'hangs'
  /** Answers no, and may say yes the next time. */
  | 'full'
  /** Answers no, for good. */
  | 'refused'

/** The services there are. */
export type Service = 'bank' | 'packing' | 'van'

/** One order, and how each service answers the first attempt, the second, …; the last repeats. */
export interface Order {
  readonly number: number
  readonly cents: number
  readonly items: readonly string[]
  /** How long a service works on it. */
  readonly workMs: number
  /** So expensive that a person has to say yes. */
  readonly needsApproval: boolean
  readonly turns: Readonly<Record<Service, readonly Turn[]>>
}

/** An order, and what people do about it meanwhile. */
export interface Plan {
  readonly id: string
  readonly order: Order
  /** Somebody approves it after this time. */
  readonly approvedAfterMs?: number
  /** Somebody holds it back for a while after this time. */
  readonly pausedAfterMs?: number
  /** The customer cancels it after this time. */
  readonly cancelledAfterMs?: number
}

interface Line extends Omit<Plan, 'id' | 'order'> {
  readonly items: number
  readonly needsApproval?: boolean
  readonly bank?: string
  readonly packing?: string
  readonly van?: string
}

const lines: readonly Line[] = [
  { items: 2 },
  { items: 3, van: 'full ok' },
  { items: 1, bank: 'down ok' },
  { items: 4, needsApproval: true, approvedAfterMs: 1_500 },
  { items: 2, van: 'refused' },
  { items: 1, bank: 'refused' },
  { items: 3, packing: 'hangs ok' },
  { items: 2, needsApproval: true },
  { items: 2, pausedAfterMs: 900 },
  { items: 3, needsApproval: true, approvedAfterMs: 2_400 },
  { items: 2 },
  { items: 4, bank: 'down down ok' },
  { items: 3, van: 'full full full' },
  { items: 1 },
  { items: 2, needsApproval: true, cancelledAfterMs: 700 },
  { items: 3 },
  { items: 2, packing: 'hangs hangs hangs' },
  { items: 1, van: 'full ok' },
  { items: 2 },
  { items: 3, bank: 'down down down down down' },
  { items: 2, needsApproval: true, approvedAfterMs: 600 },
  { items: 4 },
  { items: 1, van: 'refused' },
  { items: 2, bank: 'down ok' },
]

const goods = ['tea', 'cups', 'sugar', 'lemon', 'honey', 'milk']

/** All orders, in the order in which they come in. */
export const plans: readonly Plan[] = lines.map((line, index) => {
  const {
    items,
    needsApproval = false,
    bank = 'ok',
    packing = 'ok',
    van = 'ok',
    ...meanwhile
  } = line
  const number = index + 1
  return {
    id: `order-${String(number).padStart(2, '0')}`,
    order: {
      number,
      cents: 1_000 + ((number * 137) % 9_000),
      items: Array.from({ length: items }, (_, item) => goods[(number + item) % 6] ?? 'tea'),
      workMs: 150 + ((number * 331) % 250),
      needsApproval,
      turns: { bank: turnsOf(bank), packing: turnsOf(packing), van: turnsOf(van) },
    },
    ...meanwhile,
  }
})

function turnsOf(text: string): readonly Turn[] {
  return text.split(' ').filter(isTurn)
}

function isTurn(text: string): text is Turn {
  return ['ok', 'down', 'hangs', 'full', 'refused'].includes(text)
}
