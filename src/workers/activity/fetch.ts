/** The platform's `fetch`, tied to the attempt's signal, that records what was asked for. */

import type { Clock } from '../../base/time.ts'
import type { HttpTrace } from '../../model/event.ts'

/** Requests of one attempt, recorded: never headers, bodies, or values of the query. */
export interface TracedFetch {
  readonly fetch: typeof globalThis.fetch
  /** What has been recorded so far. */
  readonly traces: () => readonly HttpTrace[]
}

/** What a traced fetch stands on. */
export interface TracedFetchOptions {
  readonly fetch: typeof globalThis.fetch
  readonly signal: () => AbortSignal
  readonly clock: Clock
  /** Requests beyond this many are made, but not recorded. */
  readonly tracesMax: number
}

/** A fetch for one attempt. */
export function createTracedFetch(options: TracedFetchOptions): TracedFetch {
  const traces: HttpTrace[] = []
  const record = (index: number, end: Partial<HttpTrace>): void => {
    const begun = traces[index]
    if (begun !== undefined) traces[index] = { ...begun, ...end, finishedAt: options.clock.now() }
  }
  return {
    traces: () => [...traces],
    fetch: async (resource, init) => {
      const index = traces.length
      const begun = { ...describeRequest(resource, init), startedAt: options.clock.now() }
      if (index < options.tracesMax) traces.push(begun)
      try {
        const signal = joinSignals(options.signal(), init?.signal ?? undefined)
        const response = await options.fetch(resource, { ...init, signal })
        record(index, { status: response.status })
        return response
      } catch (cause) {
        record(index, { error: cause instanceof Error ? cause.message : 'the request failed' })
        throw cause
      }
    },
  }
}

function describeRequest(
  resource: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Pick<HttpTrace, 'method' | 'origin' | 'path' | 'queryKeys'> {
  const isRequest = typeof resource === 'object' && 'url' in resource
  const method = init?.method ?? (isRequest ? resource.method : 'GET')
  try {
    const url = new URL(isRequest ? resource.url : resource)
    const queryKeys = [...new Set(url.searchParams.keys())]
    return { method: method.toUpperCase(), origin: url.origin, path: url.pathname, queryKeys }
  } catch {
    return { method: method.toUpperCase(), origin: '', path: '', queryKeys: [] }
  }
}

/** `AbortSignal.any` costs 23 µs, so only for those who bring a signal of their own. */
function joinSignals(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given === undefined ? own : AbortSignal.any([own, given])
}
