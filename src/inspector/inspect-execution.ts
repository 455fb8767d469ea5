/** An execution that is over, or still waits, shown to an inspector from its log. */

import {
  invalidOption,
  readMember,
  readOptions,
  requireBoolean,
  requireFunctions,
} from '../base/options.ts'
import { type Duration, parseDuration, type Scheduler, systemScheduler } from '../base/time.ts'
import type { ExecutionTree } from '../client/tree.ts'
import type { OnFrame } from './frame.ts'
import { type HistoryOptions, stepsOf } from './history.ts'
import type { StatelyInspector } from './inspector.ts'
import { createPlayback, type Playback } from './playback.ts'

/** Whom an execution is shown to, and how. */
export interface InspectExecutionOptions extends HistoryOptions {
  /** Takes the frames. An inspector redacts and cuts them as it does its own. */
  readonly to: OnFrame | StatelyInspector
  /** Shows nothing yet: the playback that is given does. Default false: everything at once. */
  readonly paused?: boolean | undefined
  /** Longest pause between two steps while it plays. Default 2 seconds. */
  readonly gapMax?: Duration | undefined
  /** Executions in all, the first included. Default and most: `limits.listPage`. */
  readonly limit?: number | undefined
  /** Default: the timers of this process. */
  readonly scheduler?: Scheduler | undefined
}

/** An engine, as far as it is needed to look at what is over: one that never starts will do. */
export interface InspectedEngine {
  /** Gives a handle of an execution. */
  readonly get: (id: string) => Promise<InspectedHandle>
}

/** A handle, as far as it is needed to look at what is over. */
export interface InspectedHandle {
  /** Reads the execution and all below it, with their logs. */
  readonly tree: (options: {
    readonly limit?: number | undefined
    readonly logs: true
  }) => Promise<object>
}

const knownOptions = ['to', 'paused', 'gapMax', 'limit', 'scheduler', 'redact', 'charsMax']

/**
 * Shows an execution, and all below it, from its log: at once, or as the playback is told. Rejects
 * with `execution_not_found`, `invalid_option`, or what reading the log rejects with.
 */
export async function inspectExecution(
  engine: InspectedEngine,
  id: string,
  given: OnFrame | StatelyInspector | InspectExecutionOptions,
): Promise<Playback> {
  const options = readInspectOptions(given)
  const { to, paused = false, gapMax = '2s', limit, scheduler = systemScheduler } = options
  requireBoolean(paused, 'inspectExecution.paused')
  requireFunctions(scheduler, 'inspectExecution.scheduler', ['after'])
  const gap = parseDuration(gapMax)
  const handle = await engine.get(id)
  const tree = await handle.tree({ limit, logs: true })
  if (!isTree(tree)) throw invalidOption('inspectExecution.engine', 'must be an engine of Stele')
  const steps = stepsOf(tree, { ...showingOf(to), ...present(options) })
  const onFrame = typeof to === 'function' ? to : to.send
  const playback = createPlayback({ steps, onFrame, scheduler, gapMax: gap })
  if (!paused) await playback.play({ speed: Number.POSITIVE_INFINITY })
  return playback
}

function readInspectOptions(
  given: OnFrame | StatelyInspector | InspectExecutionOptions,
): InspectExecutionOptions {
  if (typeof given === 'function' || isInspector(given)) return { to: given }
  const options = readOptions(given, knownOptions, 'inspectExecution')
  const { to } = options
  if (typeof to === 'function' || isInspector(to)) return options
  throw invalidOption('inspectExecution.to', 'must be a function, or what `inspector` gave')
}

function isTree(value: object): value is ExecutionTree {
  return Array.isArray(readMember(value, 'children')) && 'execution' in value
}

function isInspector(value: unknown): value is StatelyInspector {
  return typeof readMember(value, 'send') === 'function'
}

/** What an inspector hides from its own frames it hides from these. */
function showingOf(to: OnFrame | StatelyInspector): HistoryOptions {
  return typeof to === 'function' ? {} : to.showing
}

function present({ redact, charsMax }: HistoryOptions): HistoryOptions {
  return {
    ...(redact === undefined ? {} : { redact }),
    ...(charsMax === undefined ? {} : { charsMax }),
  }
}
