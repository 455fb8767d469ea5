/** What components share: answers that follow the server, the route, the time, sizes. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LiveMessage } from '../server/wire.ts'
import { ask } from './api.ts'
import { after, every, serverNow, setServerTime, ticks } from './clock.ts'
import { listen } from './live.ts'
import { parseRoute, type Route } from './route.ts'

/** The shortest time between two questions about the same thing, in milliseconds. */
const askInterval = 400

/**
 * How long to rest after an answer, in lengths of the answer: whoever looks at something large
 * takes no more than a tenth of the thread that answers, which is the engine's own.
 */
const restPerAnswer = 9

/** What is known of an answer. */
export interface Asked<Answer> {
  readonly answer: Answer | undefined
  readonly error: Error | undefined
  readonly reload: () => void
}

/** What changes make it worth asking again. */
type Concerns = (message: LiveMessage) => boolean

/** Whatever happens. */
export const everything: Concerns = () => true

/** What happens to one execution, or below it. */
export function about(id: string): Concerns {
  return (message) =>
    message.type === 'dropped' ||
    message.more ||
    message.ids.some((changed) => changed === id || changed.startsWith(`${id}.`))
}

/** Asks, and asks again when something has changed. The last answer stays until the next. */
export function useAnswer<Answer extends object>(
  path: string,
  concerns: Concerns = everything,
): Asked<Answer> {
  const [asked, setAsked] = useState<Omit<Asked<Answer>, 'reload'> & { readonly path: string }>({
    path: '',
    answer: undefined,
    error: undefined,
  })
  const asking = useRef(createAsking())
  const reload = useCallback(() => {
    asking.current.want(async () => {
      try {
        const answer = await ask<Answer>(path)
        if ('now' in answer && typeof answer.now === 'number') setServerTime(answer.now)
        setAsked({ path, answer, error: undefined })
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause))
        setAsked((last) => ({ path, answer: last.path === path ? last.answer : undefined, error }))
      }
    })
  }, [path])
  useEffect(() => {
    const own = createAsking()
    asking.current = own
    reload()
    const unlisten = listen({
      onMessage: (message) => {
        if (message.type === 'dropped' || concerns(message)) reload()
      },
    })
    return () => {
      own.close()
      unlisten()
    }
  }, [path])
  return { answer: asked.path === path ? asked.answer : undefined, error: asked.error, reload }
}

/** One question at a time, not too often, and never one wish lost. */
function createAsking(): { want: (run: () => Promise<void>) => void; close: () => void } {
  let isBusy = false
  let isClosed = false
  let wanted: (() => Promise<void>) | undefined
  const next = (): void => {
    const run = wanted
    wanted = undefined
    isBusy = run !== undefined
    if (run === undefined || isClosed) return
    const begin = ticks()
    void run().finally(() => {
      const pause = Math.max(askInterval, (ticks() - begin) * restPerAnswer)
      after(pause, next)
    })
  }
  return {
    want: (run) => {
      wanted = isClosed ? undefined : run
      if (!isBusy) next()
    },
    close: () => {
      isClosed = true
      wanted = undefined
    },
  }
}

/** Where the viewer is. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const look = (): void => {
      setRoute(parseRoute(location.hash))
    }
    addEventListener('hashchange', look)
    return () => {
      removeEventListener('hashchange', look)
    }
  }, [])
  return route
}

/** Goes to another hash without leaving a trace in the history of the browser. */
export function replaceHash(hash: string): void {
  if (location.hash === hash) return
  history.replaceState(null, '', hash)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The time, every second. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(
    () =>
      every(1_000, () => {
        setNow(serverNow())
      }),
    [],
  )
  return now
}

/** The size of an element, followed. */
export function useSize(): {
  readonly ref: { current: HTMLDivElement | null }
  readonly width: number
  readonly height: number
} {
  const ref = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const target = ref.current
    if (target === null) return undefined
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = target
      setSize((last) => (last.width === width && last.height === height ? last : { width, height }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(target)
    return () => {
      observer.disconnect()
    }
  }, [])
  return { ref, ...size }
}
