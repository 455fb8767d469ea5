/**
 * The log of an execution, and of everything below it, as frames: what somebody would have seen
 * who stood beside it. The state after each event is the fold of the log up to there.
 */

import { executionMachine, machineValueOf } from '../../machines/execution.ts'
import { invalidOption } from '../base/options.ts'
import type { Instant } from '../base/time.ts'
import type { ExecutionTree } from '../client/tree.ts'
import type { LogView } from '../client/view.ts'
import { type FoldStep, foldSteps } from '../model/fold.ts'
import type { ExecutionState } from '../model/state.ts'
import { definitionText } from './adapter.ts'
import {
  type Frame,
  type FrameBase,
  type FrameEvent,
  type FrameNotes,
  type FrameSnapshot,
  frameVersion,
} from './frame.ts'
import { createFrameValues, type FrameValues, type Redact } from './frame-values.ts'
import { historyOf } from './log-history.ts'
import { type CausedStep, mergeSteps } from './merge-steps.ts'
import { createSessionNames } from './session-names.ts'

/** What may be seen of a history. */
export interface HistoryOptions {
  /** Sees every event and context first, and gives what may be shown of it. */
  readonly redact?: Redact | undefined
  /** Characters of an event, or of a context, that are shown. Default 65,536. */
  readonly charsMax?: number | undefined
}

/** One step of a history: an event of a log, or a response that arrived. */
export interface HistoryStep {
  /** Whose step it is. */
  readonly executionId: string
  /** An event of the log, or a response of the inbox. */
  readonly kind: 'event' | 'response'
  /** The version of the log after it. */
  readonly version: number
  /** When it happened, by the clock of whoever wrote it. */
  readonly createdAt: Instant
  /** What happened. A response is the event `responded`. */
  readonly event: FrameEvent
  /** Where the execution stood before; absent for its first step. */
  readonly before?: FrameSnapshot
  /** Where it stands after. */
  readonly after: FrameSnapshot
  /** What an inspector is sent of it. */
  readonly frames: readonly Frame[]
}

/** Characters of an event or context, unless told otherwise. */
const charsMaxDefault = 65_536

/**
 * Every step of a tree that was read with its logs, in the order in which things happened. Throws
 * `invalid_option` for one without logs, `storage_corrupt` for a log that cannot be.
 */
export function stepsOf(tree: ExecutionTree, options: HistoryOptions = {}): readonly HistoryStep[] {
  if (tree.log === undefined) {
    throw invalidOption('tree', 'has no logs; read it with `handle.tree({ logs: true })`')
  }
  const { redact, charsMax = charsMaxDefault } = options
  const values = createFrameValues({ redact, charsMax, sessions: createSessionNames() })
  const definition = definitionText(executionMachine.config, executionMachine.id)
  const telling: Telling = { rootId: tree.execution.id, values, definition }
  const logs = executionsIn(tree).map((place) => stepsOfLog(place, telling))
  return mergeSteps(logs).map(({ step }) => step)
}

/** Every frame of a tree that was read with its logs, in order. Throws as `stepsOf` does. */
export function framesOf(tree: ExecutionTree, options: HistoryOptions = {}): readonly Frame[] {
  return stepsOf(tree, options).flatMap(({ frames }) => frames)
}

// ── one log ─────────────────────────────────────────────────────────────────────────────────────

/** What all frames of a history share. */
interface Telling {
  readonly rootId: string
  readonly values: FrameValues
  readonly definition: string
}

/** An execution in its tree. */
interface Place {
  readonly log: LogView
  readonly parentId: string | undefined
  /** Some of its children are not in the tree. */
  readonly isCut: boolean
}

/** Parents first, older ones first. Executions whose log was not read are left out. */
function executionsIn(tree: ExecutionTree, parentId?: string): readonly Place[] {
  const { execution, children, log, hidden } = tree
  const own = log === undefined ? [] : [{ log, parentId, isCut: hidden === true }]
  return [...own, ...children.flatMap((child) => executionsIn(child, execution.id))]
}

function stepsOfLog(place: Place, telling: Telling): readonly ToldStep[] {
  const { id } = place.log
  const happenings = happeningsOf(place.log)
  let before: FrameSnapshot | undefined
  return Array.from(foldSteps(historyOf(place.log)), (move): ToldStep => {
    const event = telling.values.event(happenings(move), id)
    const after = telling.values.snapshot(snapshotOf(move.state), id)
    const { version } = move.state
    const { createdAt } = move.entry
    const { kind } = move
    const step = { executionId: id, kind, version, createdAt, event, after }
    const frames = framesOfStep({ ...step, place, sourceId: sourceOf(move, place) }, telling)
    const whole = before === undefined ? { ...step, frames } : { ...step, before, frames }
    before = after
    return { step: whole, createdAt, ...causesOf(move, place) }
  })
}

/** What happened at a step, values decoded. Version and time stand in the frame. */
function happeningsOf({ events, responses }: LogView): (move: FoldStep) => unknown {
  const eventByVersion = new Map(
    events.map(({ version, createdAt: _at, ...event }) => [version, event]),
  )
  const responseByCursor = new Map(
    responses.map(({ createdAt: _at, afterVersion: _after, ...response }) => [
      response.cursor,
      response,
    ]),
  )
  return (move) =>
    move.kind === 'event'
      ? eventByVersion.get(move.entry.version)
      : { type: 'responded', response: responseByCursor.get(move.entry.cursor) }
}

/** What a machine in this state would say of itself. */
function snapshotOf(state: ExecutionState): object {
  const status = state.status === 'finished' ? 'done' : 'active'
  return { status, value: machineValueOf(state), context: { state } }
}

function sourceOf(move: FoldStep, { parentId }: Place): string | undefined {
  if (move.kind === 'event') return move.entry.version === 0 ? parentId : undefined
  const { response } = move.entry
  return response.type === 'child_finished' ? response.childExecutionId : undefined
}

/** A step, and what it is told after. */
interface ToldStep extends CausedStep {
  readonly step: HistoryStep
}

interface PlacedStep extends Omit<HistoryStep, 'frames'> {
  readonly place: Place
  readonly sourceId: string | undefined
}

function framesOfStep(step: PlacedStep, { rootId, definition }: Telling): readonly Frame[] {
  const { executionId, version, createdAt, event, after, place, sourceId } = step
  const notes: FrameNotes = { version, ...(place.isCut ? { hidden: true } : {}) }
  const base: FrameBase = {
    rootId,
    sessionId: executionId,
    createdAt: String(createdAt),
    id: null,
    _version: frameVersion,
    stele: notes,
  }
  const told: readonly Frame[] = [
    { type: '@xstate.event', event, ...(sourceId === undefined ? {} : { sourceId }), ...base },
    { type: '@xstate.snapshot', event, snapshot: after, ...base },
  ]
  if (step.kind === 'response' || version > 0) return told
  const { parentId } = place
  const parent = parentId === undefined ? {} : { parentId }
  const named = { type: '@xstate.actor', name: executionId, ...parent, definition } as const
  return [{ ...named, snapshot: after, ...base }, ...told]
}

/** A child begins after its parent has asked for it; a parent is told after a child has ended. */
function causesOf(move: FoldStep, { log, parentId }: Place): Pick<ToldStep, 'needs' | 'gives'> {
  if (move.kind === 'response') {
    const { response } = move.entry
    return response.type === 'child_finished'
      ? { needs: `end of ${response.childExecutionId}` }
      : {}
  }
  const { event } = move.entry
  if (event.type === 'created') return parentId === undefined ? {} : { needs: `wish for ${log.id}` }
  if (event.type === 'finished') return { gives: `end of ${log.id}` }
  if (event.type !== 'join_set_request' || event.kind !== 'child') return {}
  return { gives: `wish for ${event.childExecutionId}` }
}
