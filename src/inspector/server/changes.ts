/**
 * What has changed, gathered between two looks: one message for many commits, so that a viewer
 * costs an engine the same however fast the engine is.
 */

import type { Cancel, Milliseconds, Scheduler } from '../../base/time.ts'
import type { Notifications } from '../../storage/notifications.ts'
import type { ChangesMessage } from './wire.ts'

/** How long changes are gathered before they are told. */
export const changesInterval: Milliseconds = 150
/** Executions named in one message; if there are more, everything may have changed. */
export const changedIdsMax = 200

/** What a feed stands on. */
export interface ChangesOptions {
  readonly notifications: Pick<Notifications, 'onCommit'>
  readonly scheduler: Scheduler
  readonly tell: (message: ChangesMessage) => void
}

/** Listens until it is cancelled. */
export function watchChanges({ notifications, scheduler, tell }: ChangesOptions): Cancel {
  const ids = new Set<string>()
  let isMore = false
  let timer: Cancel | undefined
  const flush = (): void => {
    timer = undefined
    tell({ type: 'changes', ids: [...ids], more: isMore })
    ids.clear()
    isMore = false
  }
  const add = (id: string): void => {
    if (ids.size < changedIdsMax) ids.add(id)
    else isMore ||= !ids.has(id)
  }
  const unlisten = notifications.onCommit((notices) => {
    if (notices === undefined) isMore = true
    for (const notice of notices ?? []) {
      if (notice.topic === 'execution') add(notice.state.executionId)
    }
    timer ??= scheduler.after(changesInterval, flush)
  })
  return () => {
    unlisten()
    timer?.()
  }
}
