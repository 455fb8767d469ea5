/** A bar that shows how far long work has come: on the error stream, and only to a person. */

import type { Milliseconds } from '../base/time.ts'
import type { World } from './world.ts'

/** How far it has come. */
export interface Progress {
  /** Says what is done now, and how much of it. */
  readonly show: (label: string, done: number, total: number) => void
  /** Takes the bar away. */
  readonly end: () => void
}

/** How often it is drawn anew. */
const drawInterval: Milliseconds = 80
/** Work that takes less is not shown. */
const quietTime: Milliseconds = 300
const barWidth = 24

/** A bar that nobody sees before the work has taken a while. */
export function createProgress({ err, clock }: World): Progress {
  let lastDrawn = clock.now() + quietTime - drawInterval
  let isShown = false
  return {
    show: (label, done, total) => {
      const now = clock.now()
      if (!err.isTerminal || now - lastDrawn < drawInterval) return
      lastDrawn = now
      isShown = true
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * barWidth)
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
      err.write(`\r\u001B[K${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${label}`)
    },
    end: () => {
      if (isShown) err.write('\r\u001B[K')
      isShown = false
    },
  }
}
