/**
 * The lifecycle of an execution, drawn: the transition table of `src/model/decide.ts` as a
 * statechart over the same guards. What runs per append is the table; a test proves both equal,
 * cell by cell. The machine is pure: time comes in with each event.
 */

import { and, assign, setup } from 'xstate'
import type { Instant } from '../src/base/time.ts'
import {
  decideEvent,
  decideResponse,
  hasValidExpiry,
  isCancellation,
  isEarlier,
  isLastOwner,
  isLockable,
  nextVersion,
  type Proposal,
  waitAfter,
} from '../src/model/decide.ts'
import type { EventType } from '../src/model/event.ts'
import type { ExecutionState, PendingState } from '../src/model/state.ts'

/** An event of the log, offered to the execution. `type` is the event's own. */
export interface ProposedEvent extends Proposal {
  readonly type: EventType
}

/** Something arrived in the inbox. It has no version and is never refused. */
interface RespondedEvent {
  readonly type: 'responded'
  readonly createdAt: Instant
  readonly answersAsk: boolean
}

/** Everything that can happen to an execution after `created`. */
type ExecutionMachineEvent = ProposedEvent | RespondedEvent

/** What the drawing knows beside its state: the row, for guards and for whoever looks. */
interface ExecutionMachineContext {
  readonly state: ExecutionState
}

/** Where an execution stands in the drawing. */
export type ExecutionMachineValue =
  | 'finished'
  | 'cancelling'
  | { open: 'pending_at' | 'locked' | 'blocked' | { paused: 'pending_at' | 'blocked' } }

/** The state of the machine for a state of the execution, as `resolveState` takes it. */
export function machineValueOf(state: ExecutionState): ExecutionMachineValue {
  if (state.status === 'finished') return 'finished'
  if (state.cancelling) return 'cancelling'
  if (!state.paused) return { open: state.status }
  // A locked execution is never paused.
  return { open: { paused: state.status === 'blocked' ? 'blocked' : 'pending_at' } }
}

/** The event of the machine for a proposal to the table. */
export function proposedEvent(proposal: Proposal): ProposedEvent {
  return { type: proposal.event.type, ...proposal }
}

function afterEvent(state: ExecutionState, event: ExecutionMachineEvent): ExecutionState {
  if (event.type === 'responded') return decideResponse(state, event)
  const decision = decideEvent(state, event)
  return decision.ok ? decision.value : state
}

interface GuardArgs {
  readonly context: ExecutionMachineContext
  readonly event: ExecutionMachineEvent
}

function isProposed(event: ExecutionMachineEvent): event is ProposedEvent {
  return event.type !== 'responded'
}

const setUp = setup({
  types: {
    context: {} as ExecutionMachineContext,
    events: {} as ExecutionMachineEvent,
    input: {} as PendingState,
  },
  guards: {
    /** The writer knows the whole log. */
    isNextVersion: ({ context, event }: GuardArgs) =>
      isProposed(event) && event.version === nextVersion(context.state),
    /** The lock ends after it begins. */
    hasValidExpiry: ({ event }: GuardArgs) =>
      isProposed(event) &&
      event.event.type === 'locked' &&
      hasValidExpiry(event.event, event.createdAt),
    /** Due, or held back for this very run. */
    isLockable: ({ context: { state }, event }: GuardArgs) =>
      isProposed(event) &&
      event.event.type === 'locked' &&
      state.status === 'pending_at' &&
      isLockable(state, event.event, event.createdAt),
    /** An extension by the run that holds the lock, expired or not. */
    isLastOwner: ({ context: { state }, event }: GuardArgs) =>
      isProposed(event) &&
      event.event.type === 'locked' &&
      state.status === 'locked' &&
      isLastOwner(state.lastOwner, event.event),
    /** Unlocking makes it due earlier than it would be. */
    isEarlier: ({ context: { state }, event }: GuardArgs) =>
      isProposed(event) &&
      event.event.type === 'unlocked' &&
      (state.status === 'pending_at' || state.status === 'blocked') &&
      isEarlier(state, event.event),
    /** A wait begins or goes on, and nothing that it waits for has arrived. */
    waits: ({ context: { state }, event }: GuardArgs) =>
      isProposed(event) &&
      waitAfter(state, event.event) !== undefined &&
      event.answeredAt === undefined,
    /** A wait begins or goes on, and is answered already. */
    isAnswered: ({ context: { state }, event }: GuardArgs) =>
      isProposed(event) &&
      waitAfter(state, event.event) !== undefined &&
      event.answeredAt !== undefined,
    /** The end that a cancellation leads to. */
    isCancellation: ({ event }: GuardArgs) => isProposed(event) && isCancellation(event.event),
    /** The response answers an ask. */
    answersAsk: ({ event }: GuardArgs) => event.type === 'responded' && event.answersAsk,
  },
  actions: {
    /** The row moves on; what is in it is the table's business. */
    record: assign(({ context, event }) => ({ state: afterEvent(context.state, event) })),
  },
})

/** Where a wait, or an ask that may answer one, leads: within `open` and within `paused` alike. */
const waiting = [
  { guard: and(['isNextVersion', 'isAnswered']), target: '.pending_at', actions: 'record' },
  { guard: and(['isNextVersion', 'waits']), target: '.blocked', actions: 'record' },
  { guard: 'isNextVersion', actions: 'record' },
] as const

/** A counted failure: due again when its backoff ends. */
const failing = { guard: 'isNextVersion', target: '.pending_at', actions: 'record' } as const

/** An event that leaves the state as it is. */
const noting = { guard: 'isNextVersion', actions: 'record' } as const

/** The lifecycle of an execution. Input: the state right after `created`. */
export const executionMachine = setUp.createMachine({
  id: 'execution',
  context: ({ input }) => ({ state: input }),
  initial: 'open',
  states: {
    /**
     * Goes on by itself. Entered by `created`; left by `cancel_requested`, `finished`. What user
     * code did leaves the state alone, unless it waits.
     */
    open: {
      initial: 'pending_at',
      on: {
        finished: { guard: 'isNextVersion', target: '#execution.finished', actions: 'record' },
        cancel_requested: {
          guard: 'isNextVersion',
          target: '#execution.cancelling',
          actions: 'record',
        },
        temporarily_failed: failing,
        temporarily_timed_out: failing,
        join_next: waiting,
        join_next_try: waiting,
        join_next_withdraw: waiting,
        wait: waiting,
        upgrade_finished: noting,
        join_set_create: noting,
        join_set_request: noting,
        join_next_too_many: noting,
        step_finished: noting,
        step_failed: noting,
        schedule: noting,
        stub: noting,
        patched: noting,
        macrostep: noting,
      },
      states: {
        /**
         * Due at an instant. Entered by `created`, `unlocked`, `temporarily_failed`,
         * `temporarily_timed_out`, an answered wait, a response, `unpaused`; left by `locked`,
         * `paused`, a wait.
         */
        pending_at: {
          on: {
            locked: {
              guard: and(['isNextVersion', 'hasValidExpiry', 'isLockable']),
              target: 'locked',
              actions: 'record',
            },
            unlocked: { guard: and(['isNextVersion', 'isEarlier']), actions: 'record' },
            paused: { guard: 'isNextVersion', target: 'paused.pending_at', actions: 'record' },
          },
        },
        /**
         * Held by a run. Entered by `locked`; left by `unlocked`, `temporarily_failed`,
         * `temporarily_timed_out`, a wait. Its expiry alone changes nothing.
         */
        locked: {
          on: {
            locked: {
              guard: and(['isNextVersion', 'hasValidExpiry', 'isLastOwner']),
              actions: 'record',
            },
            unlocked: { guard: 'isNextVersion', target: 'pending_at', actions: 'record' },
          },
        },
        /**
         * Waits for a response. Entered by a wait that nothing answers yet, `unpaused`; left by a
         * response, `paused`, `temporarily_failed`, `temporarily_timed_out`, an answered wait.
         */
        blocked: {
          on: {
            unlocked: { guard: and(['isNextVersion', 'isEarlier']), actions: 'record' },
            paused: { guard: 'isNextVersion', target: 'paused.blocked', actions: 'record' },
            responded: { guard: 'answersAsk', target: 'pending_at', actions: 'record' },
          },
        },
        /** Nobody may lock it. Entered by `paused`; left by `unpaused`. Runs that hold on go on. */
        paused: {
          initial: 'pending_at',
          on: {
            temporarily_failed: failing,
            temporarily_timed_out: failing,
            join_next: waiting,
            join_next_try: waiting,
            join_next_withdraw: waiting,
            wait: waiting,
          },
          states: {
            /** Would be due. As `pending_at`, but for locks. */
            pending_at: {
              on: {
                unpaused: {
                  guard: 'isNextVersion',
                  target: '#execution.open.pending_at',
                  actions: 'record',
                },
              },
            },
            /** Would wait. As `blocked`: a response makes it `pending_at`, still paused. */
            blocked: {
              on: {
                unpaused: {
                  guard: 'isNextVersion',
                  target: '#execution.open.blocked',
                  actions: 'record',
                },
                responded: { guard: 'answersAsk', target: 'pending_at', actions: 'record' },
              },
            },
          },
        },
      },
    },
    /** No run may append. Entered by `cancel_requested`; left by `finished`, cancelled. */
    cancelling: {
      on: {
        finished: {
          guard: and(['isNextVersion', 'isCancellation']),
          target: 'finished',
          actions: 'record',
        },
        responded: { actions: 'record' },
      },
    },
    /** The log is closed. Entered by `finished`, from anywhere. */
    finished: { type: 'final' },
  },
})
