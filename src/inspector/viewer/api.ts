/** Asking the server. Whatever goes wrong is an error with a sentence for people. */

import type { ErrorAnswer } from '../server/wire.ts'

/** What the server refused, or that it did not answer. */
class ApiError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The path of a question. Empty values are left out. */
export function questionOf(
  name: string,
  query: Readonly<Record<string, string | number>> = {},
): string {
  const asked = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== '') asked.set(key, String(value))
  }
  const search = asked.toString()
  return `/api/${name}${search === '' ? '' : `?${search}`}`
}

/** Asks. Rejects with an `ApiError`. */
export async function ask<Answer>(path: string): Promise<Answer> {
  return read<Answer>(() => fetch(path, { headers: { accept: 'application/json' } }))
}

/** Does something to an execution. Rejects with an `ApiError`. */
export async function act(name: string, body: object): Promise<{ readonly result: string }> {
  return read(() =>
    fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
}

async function read<Answer>(request: () => Promise<Response>): Promise<Answer> {
  const response = await request().catch(() => {
    throw new ApiError('unreachable', 'The viewer has been closed, or cannot be reached.')
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other half of `wire.ts`
  const answer = (await response.json()) as Answer | ErrorAnswer
  if (isError(answer)) throw new ApiError(answer.error.code, answer.error.message)
  return answer
}

function isError(answer: unknown): answer is ErrorAnswer {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}
