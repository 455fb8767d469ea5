/**
 * Knows, for any code that runs, whether it belongs to a workflow, and while installed keeps that
 * code to what a replay repeats. The only file of the library with state of the whole process:
 * globals and rejections are of the process too. It must not know what a workflow is.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { createGuardedGlobals, type GlobalsScope } from './guarded-globals.ts'
import { createRejections, type RejectionScope } from './rejections.ts'
import type { Installable } from './replaced-global.ts'

/** One execution of a workflow, as the guard sees it. */
export interface GuardScope extends GlobalsScope, RejectionScope {}

/** How to install. */
export interface GuardOptions {
  /** Whether clock, dice, timers and `fetch` are guarded; `false`: rejections alone are. */
  readonly globals: boolean
}

/** Tells workflow code from all other code. */
export interface Guard {
  /**
   * Puts the guard in force until what it returns is called, which does nothing when called again.
   * Counted: the first puts itself in, the last takes itself out. A global that somebody else has
   * replaced in between stays theirs.
   */
  readonly install: (options: GuardOptions) => () => void
  /** Runs workflow code, and all that it awaits or leaves behind, within a scope. */
  readonly run: <T>(scope: GuardScope, fn: () => T) => T
  /** Runs `fn`, and all that it awaits, as if outside: the engine's code, and local steps. */
  readonly leave: <T>(fn: () => T) => T
  /** The scope of the running code, or `undefined` outside workflows. */
  readonly current: () => GuardScope | undefined
}

const scopes = new AsyncLocalStorage<GuardScope | undefined>()
const current = (): GuardScope | undefined => scopes.getStore()
const leave = <T>(fn: () => T): T => scopes.run(undefined, fn)

const rejections = createRejections({ current, leave })
const holdGlobals = counted(createGuardedGlobals({ current, leave }))
const holdRejections = counted({
  install: rejections.install,
  uninstall: () => {
    rejections.uninstall()
    // Until Node 24 a storage in use makes every `await` of the process dearer, by up to 90 ns.
    scopes.disable()
  },
})

/** The guard of this process. */
export const workflowGuard: Guard = {
  install: ({ globals }) => {
    const releases = [holdRejections(), ...(globals ? [holdGlobals()] : [])]
    return () => {
      for (const release of releases) release()
    }
  },
  run: (scope, fn) => scopes.run(scope, fn),
  leave,
  current,
}

/** Installed from the first holder to the last. */
function counted({ install, uninstall }: Installable): () => () => void {
  let holders = 0
  return () => {
    holders += 1
    if (holders === 1) install()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      holders -= 1
      if (holders === 0) uninstall()
    }
  }
}
