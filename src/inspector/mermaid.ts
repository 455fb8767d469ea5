/** A chart → the text of a Mermaid state diagram, which many pages draw by themselves. */

import type { Chart, ChartEdge, ChartNode } from './chart.ts'
import { textsOfState, titleOfState, transitionText } from './chart-text.ts'

/** The chart as `stateDiagram-v2`, without the fence. */
export function mermaidOf(chart: Chart): string {
  const names = new Map(statesOf(chart.root).map(({ id }, index) => [id, `s${index}`]))
  return [
    'stateDiagram-v2',
    ...drawInside(chart.root, '  ', names),
    ...drawArrows(chart, names),
  ].join('\n')
}

/** Short names of states, since their keys may be anything. */
type Names = ReadonlyMap<string, string>

/** Every state below the root. The root is the diagram itself. */
function statesOf(root: ChartNode): readonly ChartNode[] {
  return root.children.flatMap((child) => [child, ...statesOf(child)])
}

function drawInside(node: ChartNode, indent: string, names: Names): readonly string[] {
  const initial = names.get(node.initial ?? '')
  const first = initial === undefined ? [] : [`${indent}[*] --> ${initial}`]
  const children = node.children.map((child) => drawNode(child, indent, names))
  if (node.kind !== 'parallel') return [...first, ...children.flat()]
  return children.flatMap((lines, index) => (index === 0 ? lines : [`${indent}--`, ...lines]))
}

function drawNode(node: ChartNode, indent: string, names: Names): readonly string[] {
  const name = names.get(node.id) ?? ''
  const named = `${indent}state "${escaped(titleOfState(node))}" as ${name}`
  const end = node.kind === 'final' ? [`${indent}${name} --> [*]`] : []
  // A diagram has room for what a state does only where no state is within it.
  const does = textsOfState(node).map((line) => `${indent}${name}: ${escaped(line)}`)
  if (node.children.length === 0) return [named, ...does, ...end]
  return [`${named} {`, ...drawInside(node, `${indent}  `, names), `${indent}}`]
}

/** One arrow for each pair of states, with everything that leads from one to the other. */
function drawArrows(chart: Chart, names: Names): readonly string[] {
  const labels = new Map<string, string[]>()
  for (const edge of chart.edges) {
    for (const [source, target] of endsOf(chart, edge)) {
      const arrow = `${names.get(source)} --> ${names.get(target)}`
      labels.set(arrow, [...(labels.get(arrow) ?? []), transitionText(edge)])
    }
  }
  return [...labels].map(([arrow, all]) => {
    const label = all.filter((text) => text !== '').join(', ')
    return label === '' ? `  ${arrow}` : `  ${arrow}: ${escaped(label)}`
  })
}

/** What holds for the whole machine leaves each state of it: a diagram has no outermost state. */
function endsOf(
  { root }: Chart,
  { source, targets }: ChartEdge,
): readonly (readonly [source: string, target: string])[] {
  const sources =
    source === ''
      ? root.children.filter(({ kind }) => kind !== 'final' && kind !== 'history')
      : [{ id: source }]
  return sources.flatMap(({ id }) =>
    targets.filter((to) => to !== '').map((to) => [id, to] as const),
  )
}

/** Of letters, digits and plain punctuation Mermaid takes none for its own; of others it might. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} _.,/[\]()*'=!?+-]/gu, (sign) => `#${sign.codePointAt(0)};`)
}
