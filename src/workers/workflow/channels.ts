/** Message channels: each is a join set that is there from creation, and that others fill. */

import { decodeValue } from '../../base/codec.ts'
import { readOptions } from '../../base/options.ts'
import { type Duration, parseDuration } from '../../base/time.ts'
import { type JoinSetId, joinSetId } from '../../model/join-set.ts'
import type { ListedResponse } from '../../storage/read.ts'
import type { MessageChannel } from './context.ts'
import type { Parts } from './parts.ts'
import { settled } from './settled.ts'
import { beginLimit, type EndLimit } from './timeout.ts'

/** The channels that the definition declares. */
export function createChannels(parts: Parts): Readonly<Record<string, MessageChannel<unknown>>> {
  const { messages } = parts.recorder.options.definition
  const channels: [string, MessageChannel<unknown>][] = []
  for (const name of messages.keys()) {
    const id = joinSetId('messages', name)
    if (id.ok) channels.push([name, createChannel(parts, id.value)])
  }
  return Object.fromEntries(channels)
}

function createChannel(parts: Parts, id: JoinSetId): MessageChannel<unknown> {
  const next = (options?: { readonly timeout?: Duration }): Promise<unknown> =>
    settled(parts.recorder, (resolve, reject) => {
      receive(parts, { id, options, resolve, reject })
    })
  return {
    next,
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: await next() }),
    }),
  }
}

interface Receive {
  readonly id: JoinSetId
  readonly options: { readonly timeout?: Duration } | undefined
  readonly resolve: (message: unknown) => void
  readonly reject: (error: unknown) => void
}

function receive(parts: Parts, { id, options = {}, resolve, reject }: Receive): void {
  const { timeout: given } = readOptions(options, ['timeout'], 'next')
  const timeout = given === undefined ? undefined : parseDuration(given)
  const seq = parts.recorder.nextSeq('messages.next')
  parts.recorder.emit({ type: 'join_next', seq, joinSetId: id, closing: false })
  let endLimit: EndLimit | undefined
  const ask = {
    onAnswer: ({ response }: ListedResponse) => {
      endLimit?.()
      const payload = response.type === 'message' ? response.payload : undefined
      try {
        resolve(decodeValue(parts.recorder.options.codec, payload, 'message'))
      } catch (cause) {
        reject(cause)
      }
    },
  }
  parts.recorder.inbox.ask(id, ask)
  if (timeout === undefined) return
  endLimit = beginLimit(parts, { seq, timeout }, () => {
    parts.recorder.emit({ type: 'join_next_withdraw', seq, joinSetId: id })
    parts.recorder.inbox.withdraw(id, ask)
    resolve(undefined)
  })
}
