/** Handlers that go on after their run has ended: counted, until they end too. */

/** The stragglers of one executor. */
export interface Stragglers {
  readonly count: () => number
  /** Whether there are as many as may be: then no new work is taken. */
  readonly areTooMany: () => boolean
  /** Counts one until it settles, either way. */
  readonly watch: (end: Promise<unknown>) => void
}

/** How many there may be, and who wants to know. */
export interface StragglerOptions {
  readonly max: number
  /** One of too many has ended. */
  readonly onRelief: () => void
}

/** None yet. */
export function createStragglers({ max, onRelief }: StragglerOptions): Stragglers {
  let count = 0
  const areTooMany = (): boolean => count >= max
  const leave = (): void => {
    const wereTooMany = areTooMany()
    count -= 1
    if (wereTooMany) onRelief()
  }
  return {
    count: () => count,
    areTooMany,
    watch: (end) => {
      count += 1
      end.then(leave, leave)
    },
  }
}
