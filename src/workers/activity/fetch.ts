/** The platform's `fetch`, tied to the attempt's signal, that records what was asked for. */

import type { Clock } from '../../base/time.ts'
import type { HttpTrace } from '../../model/event.ts'

/** Requests of one attempt, recorded: never headers, bodies, or values of the query. */
export interface TracedFetch {
  readonly fetch: typeof fetch
  /** What has been recorded so far. */
  readonly traces: () => readonly HttpTrace[]
}

/** What a traced fetch stands on. */
export interface TracedFetchOptions {
  readonly fetch: typeof fetch
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
        const signal = joinSignals(options.signal(), signalOf(resource, init))
        const response = await options.fetch(resource, { ...init, signal })
        record(index, { status: response.status })
        return response
      } catch (cause) {
        record(index, { error: nameFailure(cause) })
        throw cause
      }
    },
  }
}

function describeRequest(
  resource: Parameters<typeof fetch>[0],
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

/** The caller's own signal, wherever it was given. */
function signalOf(
  resource: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined
  return typeof resource === 'object' && 'signal' in resource ? resource.signal : undefined
}

/** Codes and names only: messages of the platform quote URLs and headers. */
function nameFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the request failed'
  const codes = [cause, cause.cause].flatMap((error) => {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    return typeof code === 'string' ? [code] : []
  })
  return [cause.name, ...codes].join(' ')
}

/** `AbortSignal.any` costs 23 µs, so only for those who bring a signal of their own. */
function joinSignals(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given === undefined ? own : AbortSignal.any([own, given])
}
