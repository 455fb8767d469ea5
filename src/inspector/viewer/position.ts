/** Where in a log one looks: at its end, and on with it, or at a version that the hash names. */

import { useEffect, useRef } from 'preact/hooks'
import { replaceHash } from './hooks.ts'
import { formatRoute, type Route } from './route.ts'

/** A place in a log, and the way to others. */
export interface Position {
  readonly version: number
  /** The last version there is. */
  readonly last: number
  /** At the end, and going on with it. */
  readonly isLatest: boolean
  readonly go: (version: number) => void
  /** So many events on, or back. */
  readonly step: (by: number) => void
}

/** The place that the hash names, in a log that ends with version `last`. */
export function usePosition(route: Route, last: number): Position {
  const given = Number(route.query['v'] ?? Number.NaN)
  const isLatest = !Number.isInteger(given) || given < 0 || given >= last
  const version = isLatest ? last : given
  // Keys may come faster than the page is drawn: each goes on from where the last one went.
  const wanted = useRef(version)
  wanted.current = version
  const go = (next: number): void => {
    wanted.current = Math.min(last, Math.max(0, Math.round(next)))
    const v = wanted.current === last ? '' : String(wanted.current)
    replaceHash(formatRoute('execution', { id: route.id, query: { ...route.query, v } }))
  }
  useEffect(() => {
    const move = (event: KeyboardEvent): void => {
      const next = targetOf(event, wanted.current, last)
      if (next === undefined || keepsKeys(event.target)) return
      event.preventDefault()
      go(next)
    }
    addEventListener('keydown', move)
    return () => {
      removeEventListener('keydown', move)
    }
  }, [last, route])
  return { version, last, isLatest, go, step: (by) => go(wanted.current + by) }
}

/** Events that a page key passes over. */
const pageStep = 10

function targetOf(event: KeyboardEvent, version: number, last: number): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined
  if (event.key === 'ArrowLeft') return version - (event.shiftKey ? pageStep : 1)
  if (event.key === 'ArrowRight') return version + (event.shiftKey ? pageStep : 1)
  if (event.key === 'Home') return 0
  return event.key === 'End' ? last : undefined
}

/** Fields have uses of their own for these keys, and so has what scrolls sideways. */
function keepsKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false
  return target.closest('input, textarea, select, dialog, [role="tablist"], pre, .chart') !== null
}
