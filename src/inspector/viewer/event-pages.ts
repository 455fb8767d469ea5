/** The events of one log, fetched a page at a time as they come into view, and kept. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { EventLine, EventsAnswer } from '../server/wire.ts'
import { ask, questionOf } from './api.ts'
import { pagesOf, type RowWindow } from './virtual.ts'

/** Events of a page. */
const eventPageSize = 100

/** The events that are known. */
export interface EventPages {
  readonly eventAt: (version: number) => EventLine | undefined
}

/** Follows a log of `count` events; fetches what a window shows and what is `also` asked for. */
export function useEvents(
  id: string,
  count: number,
  { window, also }: { readonly window: RowWindow; readonly also: number },
): EventPages {
  const known = useRef(new Map<number, readonly EventLine[]>())
  const asked = useRef(new Set<string>())
  const [, redraw] = useState(0)
  const wanted = [
    ...pagesOf(window, eventPageSize),
    ...pagesOf({ first: also, end: also + 1 }, eventPageSize),
  ]
  useEffect(() => {
    for (const page of wanted) {
      const from = page * eventPageSize
      const end = Math.min(count, from + eventPageSize)
      // A page that was not full is asked for again when the log has grown.
      const key = `${page}:${end}`
      if (from >= count || (known.current.get(page)?.length ?? 0) >= end - from) continue
      if (asked.current.has(key)) continue
      asked.current.add(key)
      const path = questionOf('events', { id, from, limit: eventPageSize })
      ask<EventsAnswer>(path).then(
        ({ events }) => {
          known.current.set(page, events)
          redraw((times) => times + 1)
        },
        () => {
          asked.current.delete(key)
        },
      )
    }
  })
  return {
    eventAt: (version) =>
      known.current.get(Math.floor(version / eventPageSize))?.[version % eventPageSize],
  }
}
