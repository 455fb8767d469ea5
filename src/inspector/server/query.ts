/** The query of a URL, read by name and kind. What does not fit is refused as `invalid_option`. */

import { invalidOption, requireInteger, requireOneOf } from '../../base/options.ts'
import { type ExecutionId, requireExecutionId } from '../../model/ids.ts'

/** The query of a request. */
export interface Query {
  readonly text: (name: string) => string | undefined
  /** An integer from 0 on; `fallback` when it is absent. */
  readonly integer: (name: string, fallback: number) => number
  readonly flag: (name: string) => boolean | undefined
  readonly word: <Word extends string>(name: string, words: readonly Word[]) => Word | undefined
  /** The execution that the question is about. */
  readonly executionId: () => ExecutionId
}

/** Reads a query. */
export function createQuery(parameters: URLSearchParams): Query {
  const text = (name: string): string | undefined => {
    const found = parameters.get(name)
    return found === null || found === '' ? undefined : found
  }
  return {
    text,
    integer: (name, fallback) => {
      const found = text(name)
      const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER }
      return found === undefined ? fallback : requireInteger(Number(found), name, bounds)
    },
    flag: (name) => {
      const found = text(name)
      return found === undefined
        ? undefined
        : requireOneOf(found, name, ['true', 'false']) === 'true'
    },
    word: (name, words) => {
      const found = text(name)
      return found === undefined ? undefined : requireOneOf(found, name, words)
    },
    executionId: () => {
      const id = text('id')
      if (id === undefined) throw invalidOption('id', 'is missing')
      return requireExecutionId(id)
    },
  }
}
