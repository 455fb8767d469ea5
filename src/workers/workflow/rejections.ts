/**
 * Rejections that nobody handles: one that belongs to a workflow is told to its scope and does not
 * end the process; any other meets what it would meet without us. It must not know how a scope
 * comes to be.
 *
 * Whose a rejection is: until Node 24 that of whoever made the promise, from then on that of
 * whoever rejected it. The two agree when the engine rejects a workflow's promise within its scope.
 * Other listeners of the process hear of a workflow's rejections too: nobody can stop an event.
 */

import { inspect } from 'node:util'
import type { Whereabouts } from './guarded-globals.ts'
import type { Installable } from './replaced-global.ts'

/** Who is told of the rejections of one execution of a workflow. */
export interface RejectionScope {
  /** A promise was rejected and nobody had a handler on it. Called outside workflow code. */
  readonly onUnhandledRejection: (reason: unknown, promise: Promise<unknown>) => void
  /** A promise told of before got its handler after all. Called outside workflow code. */
  readonly onRejectionHandled: (promise: Promise<unknown>) => void
}

/** The listeners of the process, not yet in force. */
export function createRejections(whereabouts: Whereabouts<RejectionScope>): Installable {
  // The event of the late handler comes without the context that the promise was made in.
  const scopes = new WeakMap<Promise<unknown>, RejectionScope>()
  const onUnhandled = (reason: unknown, promise: Promise<unknown>): void => {
    const scope = whereabouts.current()
    if (scope === undefined) {
      if (isDefaultDue(onUnhandled)) raise(reason)
      return
    }
    scopes.set(promise, scope)
    whereabouts.leave(() => {
      scope.onUnhandledRejection(reason, promise)
    })
  }
  const onHandled = (promise: Promise<unknown>): void => {
    const scope = scopes.get(promise)
    scopes.delete(promise)
    whereabouts.leave(() => {
      scope?.onRejectionHandled(promise)
    })
  }
  Object.defineProperty(onUnhandled, claimKey, {
    value: () => whereabouts.current() !== undefined,
  })
  return {
    install: () => {
      // First in the row: a listener that removes itself when called is still seen.
      host.prependListener('unhandledRejection', onUnhandled)
      host.on('rejectionHandled', onHandled)
    },
    uninstall: () => {
      host.off('unhandledRejection', onUnhandled)
      host.off('rejectionHandled', onHandled)
    },
  }
}

// oxlint-disable-next-line no-restricted-globals -- rejections are events of the process
const host = process

// Registered, so that the listeners of two copies of the package do not take each other for others.
const claimKey = Symbol.for('stele.claims-rejection')

/** Whether Node would act by itself, had no copy of the package a listener. */
function isDefaultDue(own: NodeJS.UnhandledRejectionListener): boolean {
  const listeners = host.listeners('unhandledRejection')
  const copies = listeners.filter((listener) => Object.hasOwn(listener, claimKey))
  return copies.length === listeners.length && copies[0] === own && !copies.some(isClaiming)
}

function isClaiming(listener: object): boolean {
  const claims: unknown = Reflect.get(listener, claimKey)
  return typeof claims === 'function' && Reflect.apply(claims, undefined, []) === true
}

/** What Node does with an unhandled rejection that no listener takes, by the mode it runs in. */
function raise(reason: unknown): void {
  const mode = rejectionMode()
  // In the other modes Node has acted already, or does so whoever listens.
  if (mode !== 'throw' && mode !== 'warn-with-error-codes') return
  const error = isErrorLike(reason) ? reason : rejectionError(reason)
  if (mode === 'warn-with-error-codes') {
    host.emitWarning(error)
    host.exitCode = 1
    return
  }
  const isHeard = host.listenerCount('uncaughtException') > 0
  if (!isHeard || host.hasUncaughtExceptionCaptureCallback()) {
    throw error
  }
  // Thrown from here it would be told to have another origin.
  // The types of `process` leave the origin out.
  const emitter: NodeJS.EventEmitter = host
  emitter.emit('uncaughtExceptionMonitor', error, 'unhandledRejection')
  emitter.emit('uncaughtException', error, 'unhandledRejection')
}

const modeOption = /--unhandled[-_]rejections[= ](\S+)/g

/** The command line wins over the environment, and the last option over the others. */
function rejectionMode(): string {
  const options = [host.env['NODE_OPTIONS'] ?? '', ...host.execArgv].join(' ')
  return [...options.matchAll(modeOption)].at(-1)?.[1] ?? 'throw'
}

function isErrorLike(reason: unknown): reason is Error {
  return typeof reason === 'object' && reason !== null && Object.hasOwn(reason, 'stack')
}

/** In Node's words, since it stands for Node's. */
function rejectionError(reason: unknown): Error {
  const shown = typeof reason === 'string' ? reason : inspect(reason, { customInspect: false })
  const error = new Error(
    'This error originated either by throwing inside of an async function without a catch block, ' +
      'or by rejecting a promise which was not handled with .catch(). ' +
      `The promise rejected with the reason "${shown}".`,
  )
  return Object.assign(error, {
    name: 'UnhandledPromiseRejection',
    code: 'ERR_UNHANDLED_REJECTION',
  })
}
