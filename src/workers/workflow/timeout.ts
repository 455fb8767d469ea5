/** A limit on how long the code waits for something: a delay that gives up an ask. */

import { type Duration, parseDuration } from '../../base/time.ts'
import type { Parts } from './parts.ts'
import type { Seq } from './recorder.ts'

/** Ends a limit whose wait is over. */
export type EndLimit = () => void

/** Begins a limit: calls back when it has passed, unless it was ended before. */
export function beginLimit(
  parts: Parts,
  { seq, timeout }: { readonly seq: Seq; readonly timeout: Duration },
  onPassed: () => void,
): EndLimit {
  const set = parts.sets.openOneOff(seq, 'timeout')
  set.startDelay(seq, { type: 'in', in: parseDuration(timeout) })
  let isOver = false
  const ask = set.ask(seq, () => {
    isOver = true
    onPassed()
  })
  return () => {
    if (isOver) return
    isOver = true
    // Nobody waits for the delay any more, so that its end wakes nobody.
    set.withdraw(seq, ask)
    set.cancel()
    parts.sets.drop(set)
  }
}
