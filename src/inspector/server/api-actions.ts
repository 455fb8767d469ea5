/** What a viewer may do, where it may do more than look. Each is what a handle does. */

import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { invalidOption, requireOneOf, requireText } from '../../base/options.ts'
import { createClient } from '../../client/client.ts'
import { createHandle } from '../../client/handle.ts'
import { requireExecutionId } from '../../model/ids.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { ViewerSource } from './source.ts'

/** Does one thing to one execution. */
type Act = (source: ViewerSource, body: JsonObject) => Promise<object>

/** Everything that can be done, by its path. */
export const actions: ReadonlyMap<string, Act> = new Map<string, Act>([
  [
    '/api/cancel',
    async (source, body) => {
      const reason = optionalText(body, 'reason')
      const options = reason === undefined ? {} : { reason }
      return { result: await handleOf(source, body).cancel(options) }
    },
  ],
  ['/api/pause', async (source, body) => done(await handleOf(source, body).pause())],
  ['/api/unpause', async (source, body) => done(await handleOf(source, body).unpause())],
  [
    '/api/send',
    async (source, body) => {
      const channel = requireText(body['channel'], 'channel')
      await handleOf(source, body).send(channel, body['payload'])
      return done()
    },
  ],
  [
    '/api/complete',
    async ({ context }, body) => {
      await createClient(context).complete(idOf(body), outcomeOf(body))
      return done()
    },
  ],
])

/** Reads the body of an action. Throws `invalid_option`. */
export function parseAction(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text)
    if (isJsonObject(body)) return body
  } catch {
    // Said below.
  }
  throw invalidOption('body', 'must be a JSON object')
}

function done(_nothing?: void): object {
  return { result: 'done' }
}

function idOf(body: JsonObject): ReturnType<typeof requireExecutionId> {
  return requireExecutionId(requireText(body['id'], 'id'))
}

function handleOf({ context }: ViewerSource, body: JsonObject): ReturnType<typeof createHandle> {
  return createHandle(context, idOf(body))
}

function optionalText(body: JsonObject, name: string): string | undefined {
  return body[name] === undefined ? undefined : requireText(body[name], name)
}

function outcomeOf(body: JsonObject): Outcome {
  const type = requireOneOf(body['type'], 'type', ['ok', 'err', 'execution_failure'])
  if (type !== 'execution_failure') return { type, value: body['value'] }
  const reason = optionalText(body, 'reason')
  return { type, kind: 'uncategorized', ...(reason === undefined ? {} : { reason }) }
}
