/**
 * A machine → a chart: its states and transitions as plain data, for whoever draws them. The same
 * from a live machine and from its stored definition.
 */

import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate'
import { isSteleError, SteleError } from '../base/error.ts'
import { hashText } from '../base/hash.ts'
import type { JsonObject } from '../base/json.ts'
import { readMember } from '../base/options.ts'
import {
  actionText,
  guardTexts,
  inlineName,
  listOf,
  logicName,
  namedAction,
  namedGuard,
} from './machine-parts.ts'

/** What a state consists of. */
export type ChartNodeKind = 'atomic' | 'compound' | 'parallel' | 'final' | 'history'

/** An actor that a state starts. */
export interface ChartInvocation {
  /** Its id within the machine. */
  readonly id: string
  /** The name of its logic. */
  readonly src: string
}

/** A state of a machine, with the states within it. */
export interface ChartNode {
  /** Keys from the root down, joined by dots; `''` is the root. Dots within keys are `\.`. */
  readonly id: string
  /** Its key in its parent; of the root, the id of the machine. */
  readonly key: string
  /** What it consists of. */
  readonly kind: ChartNodeKind
  /** Only for `history`: how far down it remembers. */
  readonly history?: 'shallow' | 'deep'
  /** Only for `compound`: the id of the state in which it begins. */
  readonly initial?: string
  /** Actions on the way in, in words. */
  readonly entry: readonly string[]
  /** Actions on the way out, in words. */
  readonly exit: readonly string[]
  /** Actors that run while it is active. */
  readonly invokes: readonly ChartInvocation[]
  /** What its author wrote about it. */
  readonly description?: string
  /** The states within it, in the order of the machine. */
  readonly children: readonly ChartNode[]
}

/** What makes a transition happen. */
export type ChartTrigger = 'event' | 'always' | 'after' | 'done' | 'error' | 'snapshot' | 'history'

/** A transition of a machine. */
export interface ChartEdge {
  /** Unique within the chart. */
  readonly id: string
  /** The state that it leaves. */
  readonly source: string
  /** The states that it leads to; none when the state stays as it is. */
  readonly targets: readonly string[]
  /** What makes it happen. */
  readonly trigger: ChartTrigger
  /** The event as XState names it: what an event's `type` is compared with. */
  readonly event: string
  /** The event for people: `PAID`, `after 1000 ms`, `done: charge`. */
  readonly label: string
  /** Conditions that must all hold, in words. */
  readonly guards: readonly string[]
  /** Its actions, in words. */
  readonly actions: readonly string[]
  /** Whether it leaves and enters its state again. */
  readonly reenter: boolean
}

/** A machine as data. */
export interface Chart {
  /** The id of the machine. */
  readonly id: string
  /** The same for charts that are drawn the same. */
  readonly digest: string
  /** The machine itself as a state, with all others within it. */
  readonly root: ChartNode
  /** Every transition, in the order of the machine. */
  readonly edges: readonly ChartEdge[]
}

/** What a chart leaves out. */
export interface ChartOptions {
  /** Names of guards and actions that stand nearly everywhere, and are said beside the picture. */
  readonly unsaid?: readonly string[] | undefined
}

/** States that a machine may have to be drawn. A chart of more is no picture. */
const statesMax = 2_000

/**
 * The chart of a machine, or of its configuration as JSON. Throws `invalid_machine` when XState
 * refuses the configuration, or when it has more than 2,000 states.
 */
export function chartOf(
  machine: AnyStateMachine | JsonObject,
  { unsaid = [] }: ChartOptions = {},
): Chart {
  const name = String(readMember(machine, 'id'))
  try {
    return draw(isMachine(machine) ? machine : createMachine(machine), new Set(unsaid))
  } catch (cause) {
    if (isSteleError(cause)) throw cause
    const said = String(readMember(cause, 'message')).replaceAll('\n', ' ').replace(/\.$/, '')
    throw invalid(name, `is refused by XState: ${said}`, cause)
  }
}

function draw({ root }: AnyStateMachine, unsaid: ReadonlySet<string>): Chart {
  const nodes = nodesOf(root)
  if (nodes.length > statesMax) {
    throw invalid(root.id, `has ${nodes.length} states; at most ${statesMax} can be drawn`)
  }
  const isSaid = (name: string): boolean => !unsaid.has(name)
  const edges = nodes.flatMap(edgesOf).map((edge, index) => ({
    id: `t${index}`,
    ...edge,
    guards: edge.guards.filter(isSaid),
    actions: edge.actions.filter(isSaid),
  }))
  const chart = { id: root.machine.id, root: nodeOf(root), edges }
  const text = JSON.stringify(chart)
  const digest = [0, 1].map((seed) => hashText(text, seed).toString(36)).join('-')
  return { ...chart, digest }
}

/** The ids of all states that are active, outermost first, for the `value` of a snapshot. */
export function activeStates(value: unknown): readonly string[] {
  return activeBelow(value, [])
}

function activeBelow(value: unknown, path: readonly string[]): readonly string[] {
  if (typeof value === 'string') return [idOfPath([...path, value])]
  if (typeof value !== 'object' || value === null || path.length >= statesMax) return []
  return Object.keys(value).flatMap((key) => [
    idOfPath([...path, key]),
    ...activeBelow(readMember(value, key), [...path, key]),
  ])
}

function idOfPath(path: readonly string[]): string {
  return path.map((key) => key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')).join('.')
}

function isMachine(given: AnyStateMachine | JsonObject): given is AnyStateMachine {
  return typeof readMember(given, 'getInitialSnapshot') === 'function'
}

function invalid(machine: string, problem: string, cause?: unknown): SteleError {
  return new SteleError('invalid_machine', `The machine ${machine} ${problem}.`, {
    fields: { machine },
    cause,
  })
}

function nodesOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)]
}

function childrenOf(node: AnyStateNode): readonly AnyStateNode[] {
  return Object.values(node.states)
}

function nodeOf(node: AnyStateNode): ChartNode {
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined
  return {
    id: idOfPath(node.path),
    key: node.parent === undefined ? node.machine.id : node.key,
    kind: node.type,
    ...(node.type === 'history' ? { history: node.history === 'deep' ? 'deep' : 'shallow' } : {}),
    ...(initial === undefined ? {} : { initial: idOfPath(initial.path) }),
    // The configuration's own: XState adds the timers of `after` to the node's.
    entry: actionsOf(readMember(node.config, 'entry')),
    exit: actionsOf(readMember(node.config, 'exit')),
    invokes: invocationsOf(node),
    ...(node.description === undefined ? {} : { description: node.description }),
    children: childrenOf(node).map(nodeOf),
  }
}

function invocationsOf(node: AnyStateNode): readonly ChartInvocation[] {
  const given = listOf(readMember(node.config, 'invoke'))
  return node.invoke.map(({ id }, index) => ({
    id,
    src: logicName(readMember(given[index], 'src')),
  }))
}

type EdgeWithoutId = Omit<ChartEdge, 'id'>

function edgesOf(node: AnyStateNode): readonly EdgeWithoutId[] {
  const always = (node.always ?? []).map((transition) =>
    edgeOf(node, transition, { event: '', trigger: 'always', label: 'always' }),
  )
  const others = [...node.transitions].flatMap(([event, transitions]) => {
    const named = triggerOf(node, event)
    return transitions.map((transition) => edgeOf(node, transition, named))
  })
  return [...always, ...others, ...historyOf(node)]
}

function edgeOf(
  node: AnyStateNode,
  transition: AnyStateNode['always'] extends readonly (infer T)[] | undefined ? T : never,
  named: Pick<ChartEdge, 'event' | 'trigger' | 'label'>,
): EdgeWithoutId {
  const { target, guard, actions, reenter } = transition
  return {
    source: idOfPath(node.path),
    targets: (target ?? []).map(({ path }) => idOfPath(path)),
    ...named,
    guards: guard === undefined ? [] : guardTexts(namedGuard(guard)),
    actions: actionsOf(actions),
    reenter,
  }
}

function actionsOf(actions: unknown): readonly string[] {
  return listOf(actions).map((action) => actionText(namedAction(action)))
}

/** XState names timers and ends of actors by events of its own; people want to know of what. */
function triggerOf(
  node: AnyStateNode,
  event: string,
): Pick<ChartEdge, 'event' | 'trigger' | 'label'> {
  const timer = node.after.find(({ eventType }) => eventType === event)
  if (timer !== undefined) {
    const { delay } = timer
    const length = typeof delay === 'number' ? `${delay} ms` : String(delay)
    return { event, trigger: 'after', label: `after ${length}` }
  }
  if (event === `xstate.done.state.${node.id}`) return { event, trigger: 'done', label: 'done' }
  return endOf(node, event) ?? { event, trigger: 'event', label: event }
}

const endPrefixes = {
  done: 'xstate.done.actor.',
  error: 'xstate.error.actor.',
  snapshot: 'xstate.snapshot.',
} as const

function endOf(
  node: AnyStateNode,
  event: string,
): Pick<ChartEdge, 'event' | 'trigger' | 'label'> | undefined {
  for (const trigger of ['done', 'error', 'snapshot'] as const) {
    const index = node.invoke.findIndex(({ id }) => event === `${endPrefixes[trigger]}${id}`)
    const invocation = invocationsOf(node)[index]
    if (invocation === undefined) continue
    const { id, src } = invocation
    return { event, trigger, label: `${trigger}: ${src === inlineName ? id : src}` }
  }
  return undefined
}

/** Where a history state leads when there is nothing to remember yet. */
function historyOf(node: AnyStateNode): readonly EdgeWithoutId[] {
  if (node.type !== 'history' || node.parent === undefined) return []
  const { parent } = node
  const targets = listOf(readMember(node.config, 'target')).flatMap((target) =>
    typeof target === 'string' ? [idOfPath(findTarget(parent, target).path)] : [],
  )
  if (targets.length === 0) return []
  const named = { event: '', trigger: 'history', label: '' } as const
  return [
    { source: idOfPath(node.path), targets, ...named, guards: [], actions: [], reenter: false },
  ]
}

function findTarget(parent: AnyStateNode, target: string): AnyStateNode {
  if (target.startsWith('#')) return parent.machine.getStateNodeById(target)
  let found: AnyStateNode = parent
  for (const key of target.split('.')) {
    const child = key === '' ? found : found.states[key]
    if (child === undefined) throw invalid(parent.machine.id, `has no state ${target}`)
    found = child
  }
  return found
}
