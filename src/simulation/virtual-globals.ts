/**
 * The globals through which code meets time, chance and the network, made virtual while a step of a
 * simulation runs: timers and clock are those of the process that runs, numbers follow from the
 * seed, and the network is out of reach.
 */

import { SteleError } from '../base/error.ts'
import { readMember } from '../base/options.ts'
import type { Random } from '../base/random.ts'
import type { Cancel } from '../base/time.ts'
import {
  type AnyFunction,
  createDatePlaces,
  createPlace,
  guardPromisified,
  type Installable,
  mirror,
  wrapAnswer,
  wrapDate,
} from '../workers/workflow/replaced-global.ts'
import type { Life } from './kernel.ts'

/** Whose step runs, and what it draws from. */
export interface VirtualScope {
  readonly life: Life
  readonly random: Random
}

/** The virtual globals, not yet in force. `find` says whose step runs, if any. */
export function createVirtualGlobals(find: () => VirtualScope | undefined): Installable {
  // oxlint-disable-next-line no-restricted-globals -- the globals are what is replaced
  const world: object = globalThis
  let isActive = false
  const scope = (): VirtualScope | undefined => (isActive ? find() : undefined)
  const place = (key: string, twin: (original: AnyFunction) => AnyFunction, owner = world) =>
    createPlace({ owner, key, wrap: twin, isActive: () => isActive })
  const now = ({ life }: VirtualScope): number => life.clock.now()
  const random = (found: VirtualScope): number => found.random.next()
  const virtual = (answer: Virtual) => (original: AnyFunction) => twinOf(original, scope, answer)
  const timerOf = (key: string, answer: Virtual) => (original: AnyFunction) => {
    const twin = virtual(answer)(original)
    const promise = timerPromises[key]
    if (promise !== undefined) guardPromisified(original, twin, virtual(promise))
    return twin
  }
  const places = [
    createDatePlaces(
      world,
      place('Date', (original) => wrapDate(original, scope, now)),
    ),
    place('random', (original) => wrapAnswer(original, scope, random), Math),
    ...Object.entries(timers).map(([key, answer]) => place(key, timerOf(key, answer))),
    place('clearTimeout', (original) => clearingTwin(original)),
    place('clearInterval', (original) => clearingTwin(original)),
    place('clearImmediate', (original) => clearingTwin(original)),
    place('fetch', virtual(refuseFetch)),
  ]
  return {
    install: () => {
      isActive = true
      for (const each of places) each.install()
    },
    uninstall: () => {
      isActive = false
      for (const each of places) each.uninstall()
    },
  }
}

type Virtual = (scope: VirtualScope, args: readonly unknown[]) => unknown

function twinOf(
  original: AnyFunction,
  find: () => VirtualScope | undefined,
  answer: Virtual,
): AnyFunction {
  const twin = function (this: unknown, ...args: readonly unknown[]): unknown {
    const scope = find()
    return scope === undefined ? Reflect.apply(original, this, args) : answer(scope, args)
  }
  mirror(original, twin)
  return twin
}

function clearingTwin(original: AnyFunction): AnyFunction {
  const twin = (timer: unknown): unknown => {
    if (!(timer instanceof VirtualTimer)) return original(timer)
    timer.close()
    return undefined
  }
  mirror(original, twin)
  return twin
}

/** What a timer function of Node gives, as far as programs use it. */
class VirtualTimer {
  readonly #arm: () => Cancel
  #cancel: Cancel

  constructor(arm: () => Cancel) {
    this.#arm = arm
    this.#cancel = arm()
  }

  close(): this {
    this.#cancel()
    return this
  }

  refresh(): this {
    this.#cancel()
    this.#cancel = this.#arm()
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }
}

/** The timer functions, by name. */
const timers: Readonly<Record<string, Virtual>> = {
  setTimeout: ({ life }, [callback, delay, ...args]) =>
    new VirtualTimer(() =>
      life.scheduler.after(delayOf(delay), () => {
        call(callback, args)
      }),
    ),
  setInterval: ({ life }, [callback, delay, ...args]) => {
    const arm = (): Cancel => {
      let cancel = life.scheduler.after(delayOf(delay), function again() {
        cancel = life.scheduler.after(delayOf(delay), again)
        call(callback, args)
      })
      return () => {
        cancel()
      }
    }
    return new VirtualTimer(arm)
  },
  setImmediate: ({ life }, [callback, ...args]) =>
    new VirtualTimer(() => {
      let isCancelled = false
      life.scheduler.soon(() => {
        if (!isCancelled) call(callback, args)
      })
      return () => {
        isCancelled = true
      }
    }),
}

/** What `promisify` makes of them, by name. */
const timerPromises: Readonly<Record<string, Virtual>> = {
  setTimeout: ({ life }, [delay, value, options]) =>
    wait(signalOf(options), (end) =>
      life.scheduler.after(delayOf(delay), () => {
        end(value)
      }),
    ),
  setImmediate: ({ life }, [value, options]) =>
    wait(signalOf(options), (end) => {
      life.scheduler.soon(() => {
        end(value)
      })
      return () => undefined
    }),
}

/** What such a promise rejects with when its signal ends it: the same as in Node. */
class AbortError extends Error {
  override readonly name = 'AbortError'
  readonly code = 'ABORT_ERR'
}

function wait(
  signal: AbortSignal | undefined,
  begin: (end: (value: unknown) => void) => Cancel,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel()
      reject(new AbortError('The operation was aborted', { cause: signal?.reason }))
    }
    const cancel = begin((value) => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function signalOf(options: unknown): AbortSignal | undefined {
  const signal = readMember(options, 'signal')
  return signal instanceof AbortSignal ? signal : undefined
}

/** As Node has it: whatever is no delay is one millisecond. */
function delayOf(delay: unknown): number {
  const length = Number(delay)
  return length >= 1 && length <= 2 ** 31 - 1 ? Math.trunc(length) : 1
}

function call(callback: unknown, args: readonly unknown[]): void {
  if (typeof callback === 'function') Reflect.apply(callback, undefined, args)
}

function refuseFetch(_scope: VirtualScope, [resource]: readonly unknown[]): never {
  const url = typeof resource === 'string' ? resource : readMember(resource, 'url')
  const asked =
    resource instanceof URL ? resource.href : typeof url === 'string' ? url : 'something'
  throw new SteleError(
    'outside_of_simulation',
    `The simulation was asked to fetch ${asked}, which lies outside of it. ` +
      'Give the activity a simulated one: `activities: { name: simulated({ … }) }`.',
    { fields: { resource: asked } },
  )
}
