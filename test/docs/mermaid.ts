/** A machine → a Mermaid state diagram. Walks the machine itself, so the drawing cannot be wrong. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** Guards that stand at nearly every transition; the text beside the drawing says so once. */
const unsaid = new Set(['isNextVersion'])

/** The diagram, as Mermaid text. */
export function drawMachine({ root }: AnyStateMachine): string {
  return ['stateDiagram-v2', ...drawInside(root, '  '), ...drawArrows(root)].join('\n')
}

/** Events that leave a state as it is, by the name of the state. */
export function silentEvents({ root }: AnyStateMachine): ReadonlyMap<string, readonly string[]> {
  const silent = nodesOf(root).map((node): [string, string[]] => [
    node.key,
    transitionsOf(node)
      .filter(({ target }) => target === undefined)
      .map(({ label }) => label),
  ])
  return new Map(silent.filter(([, labels]) => labels.length > 0))
}

function drawInside(node: AnyStateNode, indent: string): string[] {
  const initial = node.initial?.target[0]
  const first = initial === undefined ? [] : [`${indent}[*] --> ${idOf(initial)}`]
  return [...first, ...childrenOf(node).flatMap((child) => drawNode(child, indent))]
}

function drawNode(node: AnyStateNode, indent: string): string[] {
  const named = `${indent}state "${escaped(node.key)}" as ${idOf(node)}`
  const end = node.type === 'final' ? [`${indent}${idOf(node)} --> [*]`] : []
  if (childrenOf(node).length === 0) return [named, ...end]
  return [`${named} {`, ...drawInside(node, `${indent}  `), `${indent}}`]
}

/** One arrow for each pair of states, with everything that leads from one to the other. */
function drawArrows(root: AnyStateNode): string[] {
  const labels = new Map<string, string[]>()
  for (const node of nodesOf(root)) {
    for (const { target, label } of transitionsOf(node)) {
      if (target === undefined) continue
      // What holds for the whole machine is drawn from each state that it leaves.
      const sources =
        node === root ? childrenOf(root).filter(({ type }) => type !== 'final') : [node]
      for (const source of sources) {
        const arrow = `${idOf(source)} --> ${idOf(target)}`
        labels.set(arrow, [...(labels.get(arrow) ?? []), label])
      }
    }
  }
  return [...labels].map(([arrow, all]) => `  ${arrow}: ${escaped(all.join(', '))}`)
}

interface Arrow {
  readonly label: string
  readonly target: AnyStateNode | undefined
}

function transitionsOf(node: AnyStateNode): readonly Arrow[] {
  return [...node.transitions].flatMap(([event, transitions]) =>
    transitions.map(({ target, guard }): Arrow => {
      const conditions = guardNames(guard).filter((name) => !unsaid.has(name))
      const suffix = conditions.length === 0 ? '' : ` [${conditions.join(' and ')}]`
      return { label: event + suffix, target: target?.[0] }
    }),
  )
}

/** `and([...])` is a function that carries its parts. */
function guardNames(guard: unknown): readonly string[] {
  if (typeof guard === 'string') return [guard]
  if (typeof guard !== 'function' || !('guards' in guard)) return []
  return Array.isArray(guard.guards) ? guard.guards.flatMap(guardNames) : []
}

function nodesOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)]
}

function childrenOf(node: AnyStateNode): readonly AnyStateNode[] {
  return Object.values(node.states)
}

function idOf(node: AnyStateNode): string {
  return node.path.join('_')
}

/** A colon would end the label. */
function escaped(text: string): string {
  return text.replaceAll(':', '#58;')
}
