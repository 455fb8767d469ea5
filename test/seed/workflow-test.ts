/** What tests of workflows share: runs that are resumed and runs that are replayed, and logs read. */

import type { EventView, Handle } from 'stele'
import { expect } from 'vitest'

/** A waiting run is resumed where it stands, or replayed from its log: nobody may tell which. */
export const memories = [
  { memory: 'warm', limits: { warmRuns: 1_000 } },
  { memory: 'cold', limits: { warmRuns: 0 } },
] as const

/** A moment that a test holds in its hand. */
export interface Gate<Value> {
  readonly opened: Promise<Value>
  readonly open: (value: Value) => void
}

/** A promise that the test settles. */
export function createGate<Value = void>(): Gate<Value> {
  let open: ((value: Value) => void) | undefined
  const opened = new Promise<Value>((resolve) => {
    open = resolve
  })
  return { opened, open: (value) => open?.(value) }
}

/** The events of one type. */
export async function eventsOf<Type extends EventView['type']>(
  handle: Pick<Handle<unknown>, 'log'>,
  type: Type,
): Promise<readonly Extract<EventView, { readonly type: Type }>[]> {
  const { events } = await handle.log()
  return events.filter(
    (event): event is Extract<EventView, { readonly type: Type }> => event.type === type,
  )
}

/** What a workflow did, its locks and what others did to it left out: the same for every run. */
export async function historyOf(handle: Pick<Handle<unknown>, 'log'>): Promise<readonly string[]> {
  const { events } = await handle.log()
  return events.filter(({ type }) => type !== 'locked').map(({ type }) => type)
}

/** Why an execution is paused: one sentence. */
export async function pauseReason(handle: Pick<Handle<unknown>, 'explain'>): Promise<string> {
  const { waitingFor, problems } = await handle.explain()
  expect(waitingFor).toBe('unpause')
  return problems.join(' ')
}

/** What a promise was rejected with. */
export function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('it was not rejected'),
    (error: unknown) => error,
  )
}

/** A member of a member of anything at all. */
export function readPath(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value)
}

/** For `catch`: the code of the error. */
export function toCode(error: unknown): unknown {
  return readPath(error, 'code')
}
