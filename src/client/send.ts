/** Messages to workflows: checked against the channel, buffered until the workflow asks. */

import { encodeValue } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import { copyJson, type Json } from '../base/json.ts'
import { invalidOption, readOptions, requireText } from '../base/options.ts'
import type { FunctionId } from '../model/function-id.ts'
import type { ExecutionId } from '../model/ids.ts'
import { type JoinSetId, joinSetId } from '../model/join-set.ts'
import type { FunctionDefinition } from '../workers/definition.ts'
import { parseWith, type Schema } from '../workers/schema.ts'
import type { ClientContext } from './client-context.ts'
import { notFoundError, refusalError } from './refusal-error.ts'

/** Options of a message. */
export interface SendOptions {
  /** Deduplicates: a message of the same id in the same channel is delivered once. */
  readonly id?: string | undefined
}

/** Longest id of a message. */
export const messageIdLengthMax = 256

/** A message, and who it is for. */
export interface SendRequest {
  readonly executionId: ExecutionId
  readonly channel: unknown
  readonly payload: unknown
  readonly options: SendOptions | undefined
  /** What the caller knows of the function. */
  readonly definition: FunctionDefinition | undefined
}

/**
 * Sends a message; resolves when it is durable. Rejects with `execution_not_found`,
 * `unknown_channel`, `invalid_input`, `already_finished`, or `illegal_state` while it is cancelled.
 */
export async function send(context: ClientContext, request: SendRequest): Promise<void> {
  context.requireOpen()
  const { executionId, options = {}, definition } = request
  const { id } = readOptions(options, ['id'], 'send')
  const messageId = id === undefined ? undefined : requireMessageId(id)
  const channel = requireText(request.channel, 'send.channel')
  // Settled before the first wait, where that can be: until then the payload is the caller's.
  const known = definition === undefined ? undefined : settle(context, request, definition)
  const settled = known ?? settle(context, request, await findFunction(context, executionId))
  const createdAt = context.clock.now()
  const sent = await context.storage.send({ executionId, createdAt, messageId, ...settled })
  if (!sent.ok) throw refusalError(sent.error, executionId, `send ${channel} to`)
}

async function findFunction(
  context: ClientContext,
  executionId: ExecutionId,
): Promise<FunctionDefinition | FunctionId> {
  const state = await context.storage.findState(executionId)
  if (state === undefined) throw notFoundError(executionId)
  return context.definitions.get(state.function.name) ?? state.function
}

/** The channel and what is stored. Without a definition, any workflow may have any channel. */
function settle(
  context: ClientContext,
  { executionId, channel: given, payload }: SendRequest,
  target: FunctionDefinition | FunctionId,
): { readonly joinSetId: JoinSetId; readonly payload: Json | undefined } {
  const channel = String(given)
  const set = joinSetId('messages', channel)
  const isDefined = 'settings' in target
  const schema = isDefined ? schemaOf(target, channel) : undefined
  const isKnown = isDefined ? schema !== undefined : target.kind !== 'activity'
  if (set.ok && isKnown) {
    return { joinSetId: set.value, payload: store(context, { schema, payload, channel }) }
  }
  const { name } = isDefined ? target.settings.id : target
  throw unknownChannel(executionId, name, channel)
}

function schemaOf(definition: FunctionDefinition, channel: string): Schema | undefined {
  return definition.kind === 'workflow' ? definition.messages.get(channel) : undefined
}

function requireMessageId(id: unknown): string {
  const text = requireText(id, 'send.id')
  if (text.length > 0 && text.length <= messageIdLengthMax) return text
  throw invalidOption('send.id', `must be 1 to ${messageIdLengthMax} long`)
}

function store(
  { codec, limits }: ClientContext,
  message: {
    readonly schema: Schema | undefined
    readonly payload: unknown
    readonly channel: string
  },
): Json | undefined {
  const { schema, payload, channel } = message
  const value = parseWith({
    schema,
    value: payload,
    root: `message ${channel}`,
    code: 'invalid_input',
    consequence: 'Nothing was sent.',
  })
  const { valueBytes } = limits
  const stored = encodeValue(codec, { value, root: 'message', valueBytes })
  return stored === undefined ? undefined : copyJson(stored)
}

function unknownChannel(executionId: string, functionName: string, channel: string): SteleError {
  return new SteleError(
    'unknown_channel',
    `${functionName} ${executionId} has no message channel ${JSON.stringify(channel)}. ` +
      'Declare it in the `messages` of the workflow, or send to one that is declared.',
    { fields: { executionId, functionName, channel } },
  )
}
