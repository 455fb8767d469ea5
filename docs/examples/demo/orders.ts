/** The orders of the demo, and what the outside world will do to each: the same on every run. */

/** What an outside service does when it is asked. */
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

/** The activities there are. */
export type ActivityName = 'charge' | 'reserve' | 'ship' | 'invoice'

/** One order: what it needs, and how the world answers the first attempt, the second, … */
export interface Order {
  readonly number: number
  readonly cents: number
  /** How long the service works on it. */
  readonly workMs: number
  /** The last one repeats. */
  readonly turns: readonly Turn[]
}

/** An order, and what to do about it. */
export interface Plan {
  readonly id: string
  readonly activity: ActivityName
  readonly order: Order
  /** Not to be begun before this time has passed. */
  readonly delayMs?: number
  /** Submitted paused; somebody lets it go later. */
  readonly paused?: boolean
  /** Cancelled by the customer while it runs. */
  readonly cancelled?: boolean
}

type Line = readonly [activity: ActivityName, turns: string, extra?: Partial<Plan>]

const lines: readonly Line[] = [
  ['charge', 'ok'],
  ['reserve', 'ok'],
  ['ship', 'full ok'],
  ['charge', 'down ok'],
  ['invoice', 'ok', { delayMs: 4_000 }],
  ['charge', 'ok'],
  ['reserve', 'hangs ok'],
  ['charge', 'refused'],
  ['ship', 'ok'],
  ['invoice', 'ok', { paused: true }],
  ['charge', 'down down ok'],
  ['reserve', 'ok'],
  ['ship', 'full full full'],
  ['charge', 'ok'],
  ['charge', 'ok'],
  ['reserve', 'hangs hangs hangs'],
  ['invoice', 'hangs', { cancelled: true }],
  ['charge', 'ok'],
  ['ship', 'ok'],
  ['charge', 'ok'],
  ['reserve', 'ok'],
  ['charge', 'ok'],
  ['invoice', 'ok'],
  ['ship', 'refused'],
  ['charge', 'ok'],
  ['charge', 'down down down down down'],
  ['reserve', 'hangs ok'],
  ['charge', 'ok'],
  ['ship', 'full ok'],
  ['invoice', 'down ok'],
  ['charge', 'ok'],
  ['reserve', 'ok'],
  ['charge', 'down ok'],
  ['ship', 'ok'],
  ['invoice', 'ok'],
  ['charge', 'ok'],
]

/** All orders, in the order in which they come in. */
export const plans: readonly Plan[] = lines.map(([activity, turns, extra], index) => {
  const number = index + 1
  return {
    id: `order-${String(number).padStart(2, '0')}`,
    activity,
    order: {
      number,
      cents: 1_000 + ((number * 137) % 9_000),
      workMs: 200 + ((number * 331) % 450),
      turns: turns.split(' ').filter(isTurn),
    },
    ...extra,
  }
})

function isTurn(text: string): text is Turn {
  return ['ok', 'down', 'hangs', 'full', 'refused'].includes(text)
}
