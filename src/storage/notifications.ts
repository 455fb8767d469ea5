/**
 * The notice board of one process: commits post, waiters listen. Nothing here is needed for
 * correctness: whoever misses a notice finds out by polling.
 */

import { unreachable } from '../base/assert.ts'
import { guard } from '../base/logger.ts'
import type { Cancel, Instant, Milliseconds, Scheduler } from '../base/time.ts'
import type { FunctionKind } from '../model/function-id.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState } from '../model/state.ts'
import type { Notice } from './notice.ts'

/** Something may be due: at the instant given, or unknown (then one has to look). */
export type DueListener = (dueAt: Instant | undefined) => void

/** An execution changed: to the state given, or unknown (then one has to look). */
export type StateListener = (state: ExecutionState | undefined) => void

/** A commit of this process with what it has to tell, or of others: then one has to look. */
export type CommitListener = (notices: readonly Notice[] | undefined) => void

/** Posting and listening. Listeners are called at once and must not throw. */
export interface Notifications {
  /** Tells what a commit has established. */
  readonly publish: (notices: readonly Notice[], told?: Told) => void
  /**
   * Tells those who wait for work what a commit under way will establish: a poll that is asked for
   * at once may join it. The commit may still fail; then they have looked in vain.
   */
  readonly announce: (notices: readonly Notice[]) => void
  /** Work for one function. */
  readonly onPending: (kind: FunctionKind, name: string, listener: DueListener) => Cancel
  /** Changes of one execution. */
  readonly onExecution: (id: ExecutionId, listener: StateListener) => Cancel
  /** Work for the timers watcher. */
  readonly onTimer: (listener: DueListener) => Cancel
  /** Commits of others, whatever they were about. */
  readonly onForeign: (listener: () => void) => Cancel
  /** Every commit, for whoever shows what goes on. */
  readonly onCommit: (listener: CommitListener) => Cancel
  /** Stops looking for foreign changes. */
  readonly close: () => void
}

/** What was told of some notices before. */
export interface Told {
  /** They were announced, so those who wait for work know. */
  readonly isAnnounced: boolean
}

/** How often a storage is asked for commits of others, while anybody listens. */
export const foreignPollInterval: Milliseconds = 20

/** What a notice board stands on. */
export interface NotificationOptions {
  readonly scheduler: Scheduler
  /** Whether somebody outside this process has committed since the last call. */
  readonly hasForeignChanges: () => boolean
}

/** A notice board that also hears of other processes, by asking the storage every 20 ms. */
export function createNotifications(options: NotificationOptions): Notifications {
  const topics: Topics = {
    pending: createTopic(),
    executions: createTopic(),
    timers: createTopic(),
    foreign: createTopic(),
    commits: createTopic(),
  }
  const foreignWatch = watchForeign(options, {
    isListening: () => Object.values(topics).some(isHeard),
    onChange: () => {
      publishForeign(topics)
    },
  })
  const listen = <Listener>(topic: Topic<Listener>, key: string, listener: Listener): Cancel => {
    const cancel = topic.add(key, listener)
    foreignWatch.start()
    return cancel
  }
  return {
    announce: (notices) => {
      for (const notice of notices) if (notice.topic === 'pending') publishOne(topics, notice)
    },
    publish: (notices, { isAnnounced } = { isAnnounced: false }) => {
      for (const notice of notices) {
        if (!isAnnounced || notice.topic !== 'pending') publishOne(topics, notice)
      }
      topics.commits.some('', (hear) => {
        hear(notices)
      })
    },
    onPending: (kind, name, listener) => listen(topics.pending, `${kind}:${name}`, listener),
    onExecution: (id, listener) => listen(topics.executions, id, listener),
    onTimer: (listener) => listen(topics.timers, '', listener),
    onForeign: (listener) => listen(topics.foreign, '', listener),
    onCommit: (listener) => listen(topics.commits, '', listener),
    close: foreignWatch.close,
  }
}

/** Who listens to what. */
interface Topics {
  readonly pending: Topic<DueListener>
  readonly executions: Topic<StateListener>
  readonly timers: Topic<DueListener>
  readonly foreign: Topic<() => void>
  readonly commits: Topic<CommitListener>
}

function publishOne({ pending, executions, timers }: Topics, notice: Notice): void {
  switch (notice.topic) {
    case 'pending':
      pending.some(`${notice.kind}:${notice.name}`, (listen) => {
        listen(notice.dueAt)
      })
      return
    case 'execution':
      executions.some(notice.state.executionId, (listen) => {
        listen(notice.state)
      })
      return
    case 'timer':
      timers.some('', (listen) => {
        listen(notice.dueAt)
      })
      return
    default:
      unreachable(notice)
  }
}

/** What others have committed is not told: everybody has to look. */
function publishForeign({ pending, executions, timers, foreign, commits }: Topics): void {
  pending.all((listen) => {
    listen(undefined)
  })
  executions.all((listen) => {
    listen(undefined)
  })
  timers.all((listen) => {
    listen(undefined)
  })
  foreign.all((listen) => {
    listen()
  })
  commits.all((listen) => {
    listen(undefined)
  })
}

/** Listeners by key. */
interface Topic<Listener> {
  readonly add: (key: string, listener: Listener) => Cancel
  readonly some: (key: string, tell: (listener: Listener) => void) => void
  readonly all: (tell: (listener: Listener) => void) => void
  readonly size: () => number
}

function isHeard<Listener>(topic: Topic<Listener>): boolean {
  return topic.size() > 0
}

function createTopic<Listener>(): Topic<Listener> {
  const listenersByKey = new Map<string, Set<{ readonly listener: Listener }>>()
  const tellEach = (
    listeners: Iterable<{ readonly listener: Listener }>,
    tell: (listener: Listener) => void,
  ): void => {
    // A copy: listeners come and go while they are told.
    const present = [...listeners]
    for (const { listener } of present) {
      guard(() => {
        tell(listener)
      })
    }
  }
  return {
    add: (key, listener) => {
      const listeners = listenersByKey.get(key) ?? new Set()
      // One function may listen twice, so each listening is an entry of its own.
      const entry = { listener }
      listenersByKey.set(key, listeners.add(entry))
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && listenersByKey.get(key) === listeners)
          listenersByKey.delete(key)
      }
    },
    some: (key, tell) => {
      const listeners = listenersByKey.get(key)
      if (listeners !== undefined) tellEach(listeners, tell)
    },
    all: (tell) => {
      const present = [...listenersByKey.values()]
      for (const listeners of present) tellEach(listeners, tell)
    },
    size: () => listenersByKey.size,
  }
}

interface ForeignWatch {
  readonly start: () => void
  readonly close: () => void
}

/** Looks for foreign commits while anybody listens, and not otherwise. */
function watchForeign(
  { scheduler, hasForeignChanges }: NotificationOptions,
  { isListening, onChange }: { isListening: () => boolean; onChange: () => void },
): ForeignWatch {
  let timer: Cancel | undefined
  let closed = false
  const look = (): void => {
    timer = undefined
    if (closed || !isListening()) return
    arm()
    // A storage that fails is noticed by those who read and write; here the next look is enough.
    guard(() => {
      if (hasForeignChanges()) onChange()
    })
  }
  const arm = (): void => {
    timer = scheduler.after(foreignPollInterval, look, 'watch')
  }
  return {
    start: () => {
      if (timer === undefined && !closed) arm()
    },
    close: () => {
      closed = true
      timer?.()
    },
  }
}
