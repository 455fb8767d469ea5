/** A join set as the code sees it: submits, and takes ends in the order in which they come. */

import { readOptions, requireInteger, requireOneOf, requireText } from '../../base/options.ts'
import { type Duration, parseDuration } from '../../base/time.ts'
import { concurrencyMax } from '../function-options.ts'
import type { AnyFunction } from '../function-ref.ts'
import type { ChildOptions, JoinSet } from './context.ts'
import { Ended } from './ended.ts'
import type { SetPolicies } from './open-sets.ts'
import type { Parts } from './parts.ts'
import { settled } from './settled.ts'
import { Taking } from './taking.ts'

/** A join set of any functions. */
type AnyJoinSet = JoinSet<AnyFunction>

/** Opens a join set. Throws `invalid_name` or `invalid_option`. */
export function createJoinSet(
  parts: Parts,
  name: string | undefined,
  options: object | undefined,
): AnyJoinSet {
  const policies = readPolicies(options ?? {})
  const seq = parts.recorder.nextSeq('joinSet')
  const set =
    name === undefined
      ? parts.sets.openGenerated(seq, policies)
      : parts.sets.openNamed(seq, requireText(name, 'joinSet.name'), policies)
  return faceOf(parts, new Taking(parts, set))
}

const failurePolicies = ['collect', 'cancel', 'ignore'] as const
const closePolicies = ['cancel', 'await', 'abandon'] as const

function readPolicies(options: {
  readonly onFailure?: unknown
  readonly onClose?: unknown
  readonly concurrency?: unknown
}): SetPolicies {
  const known = ['of', 'onFailure', 'onClose', 'concurrency']
  const { onFailure, onClose, concurrency } = readOptions(options, known, 'joinSet')
  const bounds = { min: 1, max: concurrencyMax }
  return {
    ...(onFailure === undefined
      ? {}
      : { onFailure: requireOneOf(onFailure, 'joinSet.onFailure', failurePolicies) }),
    ...(onClose === undefined
      ? {}
      : { onClose: requireOneOf(onClose, 'joinSet.onClose', closePolicies) }),
    ...(concurrency === undefined
      ? {}
      : { concurrency: requireInteger(concurrency, 'joinSet.concurrency', bounds) }),
  }
}

function faceOf(parts: Parts, taking: Taking): AnyJoinSet {
  const next = (options?: { readonly timeout?: Duration }): Promise<unknown> =>
    settled(parts.recorder, (resolve, reject) => {
      const { timeout: given } = readOptions(options ?? {}, ['timeout'], 'next')
      const timeout = given === undefined ? undefined : parseDuration(given)
      const seq = parts.recorder.nextSeq('next')
      taking.next({ seq, timeout, resolve, reject, onExhausted: 'reject' })
    })
  const close = (): Promise<void> =>
    settled<void>(parts.recorder, (resolve) => {
      taking.close(parts.recorder.nextSeq('close'), resolve)
    })
  const face = {
    name: taking.set.id.slice(2),
    submit: (fn: AnyFunction, input?: unknown, options: ChildOptions = {}) =>
      taking.submit(parts.recorder.nextSeq('submit'), fn, { input, options }),
    delay: (duration: Duration | Date) => taking.delay(parts.recorder.nextSeq('delay'), duration),
    next,
    tryNext: () => taking.tryNext(parts.recorder.nextSeq('tryNext')),
    map: (fn: AnyFunction, inputs: readonly unknown[]) =>
      settled(parts.recorder, (resolve, reject) => {
        mapOver(parts, taking, { fn, inputs }).then(resolve, reject)
      }),
    cancel: (id?: string) => {
      parts.recorder.nextSeq('cancel')
      taking.cancel(id)
    },
    close,
    [Symbol.asyncDispose]: close,
    [Symbol.asyncIterator]: () => iterate(parts, taking),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- functions name their types
  return face as unknown as AnyJoinSet
}

function iterate(parts: Parts, taking: Taking): AsyncIterator<unknown> {
  return {
    next: () =>
      settled<IteratorResult<unknown>>(parts.recorder, (resolve, reject) => {
        const seq = parts.recorder.nextSeq('next')
        const give = (value: unknown): void => {
          if (value === undefined) resolve({ done: true, value })
          else resolve({ done: false, value })
        }
        taking.next({ seq, resolve: give, reject, onExhausted: 'end' })
      }),
  }
}

async function mapOver(
  parts: Parts,
  taking: Taking,
  { fn, inputs }: { readonly fn: AnyFunction; readonly inputs: readonly unknown[] },
): Promise<readonly unknown[]> {
  const places = new Map<string, number>()
  if (inputs.length === 0) return []
  for (const [index, input] of inputs.entries()) {
    const child = taking.submit(parts.recorder.nextSeq('map'), fn, { input, options: {} })
    places.set(child.id, index)
  }
  const values = new Map<number, unknown>()
  const ends = { [Symbol.asyncIterator]: () => iterate(parts, taking) }
  for await (const end of ends) {
    if (!(end instanceof Ended)) continue
    const place = places.get(end.id)
    if (place !== undefined) values.set(place, end.value)
    if (values.size === places.size) break
  }
  return [...values.entries()].toSorted(([left], [right]) => left - right).map(([, value]) => value)
}
