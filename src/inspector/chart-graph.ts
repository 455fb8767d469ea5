/**
 * A chart as a graph of elk, and back: which boxes there are, how large their texts are, and where
 * elk has put them. Knows nothing of colours.
 */

import type { ElkExtendedEdge, ElkLabel, ElkNode } from 'elkjs/lib/elk-api.js'
import type { Chart, ChartEdge, ChartNode } from './chart.ts'
import { textsOfState, titleOfState, transitionText } from './chart-text.ts'
import type { ChartLayout, PlacedEdge, PlacedLine, PlacedNode, Point } from './placed-chart.ts'

/** Sizes that the layout and the drawing agree on, in pixels. */
export const chartSizes = {
  /** Width of a character, of any monospaced font at this size, or a little more. */
  character: 7.3,
  line: 16,
  title: 26,
  padding: 10,
  dot: 5,
} as const

/** Characters in a line of text, before the next transition begins a new one. */
const lineMax = 44

/** The options of elk that make a statechart of a graph. */
const layoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  // Initial states stand on top. (Strategies by model order fail on nested graphs, in elk 0.11.)
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
}

/** What elk lays out. */
export function graphOf(chart: Chart): ElkNode {
  const arrows = arrowsOf(chart)
  return {
    id: 'graph',
    layoutOptions,
    children: [boxOf(chart.root, chart)],
    edges: [...initialsOf(chart.root), ...arrows.map(edgeOf)],
  }
}

/** An arrow of the picture: all transitions from one state to another. */
interface Arrow {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly lines: readonly PlacedLine[]
}

function arrowsOf({ edges }: Chart): readonly Arrow[] {
  const pairs = edges.flatMap((edge) =>
    edge.targets.map((target) => ({ edge, key: JSON.stringify([edge.source, target]), target })),
  )
  return groupBy(pairs, ({ key }) => key).flatMap((group, index) => {
    const [first] = group
    if (first === undefined) return []
    const { edge, target } = first
    const lines = linesOf(group.map((pair) => pair.edge))
    return [{ id: `a${index}`, source: edge.source, target, lines }]
  })
}

/** Transitions that differ in their events alone share a line, as far as it reaches. */
function linesOf(edges: readonly ChartEdge[]): readonly PlacedLine[] {
  const alike = groupBy(edges, ({ guards, actions }) => JSON.stringify([guards, actions]))
  return alike.flatMap((group) => {
    const lines: PlacedLine[] = []
    let line: ChartEdge[] = []
    for (const edge of group) {
      if (line.length > 0 && textOf([...line, edge]).length > lineMax) {
        lines.push(lineOf(line))
        line = []
      }
      line.push(edge)
    }
    return [...lines, lineOf(line)].filter(({ text }) => text !== '')
  })
}

/** In the order in which each group began. */
function groupBy<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): readonly (readonly Entry[])[] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(keyOf(entry))
    if (group === undefined) groups.set(keyOf(entry), [entry])
    else group.push(entry)
  }
  return [...groups.values()]
}

function lineOf(edges: readonly ChartEdge[]): PlacedLine {
  return { text: textOf(edges), edges: edges.map(({ id }) => id) }
}

function textOf(edges: readonly ChartEdge[]): string {
  const [first] = edges
  if (first === undefined) return ''
  return transitionText({ ...first, label: edges.map(({ label }) => label).join(', ') })
}

// ── to elk ──────────────────────────────────────────────────────────────────────────────────────

function boxOf(node: ChartNode, chart: Chart): ElkNode {
  if (node.kind === 'history') return { id: boxId(node.id), width: 26, height: 26 }
  const lines = linesIn(node, chart)
  const height = chartSizes.title + lines.length * chartSizes.line + (lines.length > 0 ? 6 : 0)
  const titleWidth = widthOf(titleOfState(node)) + 2 * chartSizes.padding
  const width = Math.max(60, titleWidth, ...lines.map(({ text }) => widthOf(text) + 20))
  if (node.children.length === 0) return { id: boxId(node.id), width, height: height + 6 }
  const { padding, dot } = chartSizes
  const dots =
    node.initial === undefined ? [] : [{ id: dotId(node.id), width: 2 * dot, height: 2 * dot }]
  return {
    id: boxId(node.id),
    children: [...dots, ...node.children.map((child) => boxOf(child, chart))],
    // elk hands no option down: each box says all of them again.
    layoutOptions: {
      ...layoutOptions,
      'elk.padding': `[top=${height + padding},left=${padding},bottom=${padding},right=${padding}]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${width}, ${height + 2 * padding})`,
    },
  }
}

/** What stands in a state below its title. */
function linesIn(node: ChartNode, { edges }: Chart): readonly PlacedLine[] {
  const own = textsOfState(node).map((text) => ({ text, edges: [] }))
  const staying = edges.filter(({ source, targets }) => source === node.id && targets.length === 0)
  return [...own, ...linesOf(staying)]
}

function initialsOf(node: ChartNode): readonly ElkExtendedEdge[] {
  const own =
    node.initial === undefined
      ? []
      : [{ id: `i${node.id}`, sources: [dotId(node.id)], targets: [boxId(node.initial)] }]
  return [...own, ...node.children.flatMap(initialsOf)]
}

function edgeOf({ id, source, target, lines }: Arrow): ElkExtendedEdge {
  const labels: ElkLabel[] =
    lines.length === 0
      ? []
      : [
          {
            text: id,
            width: Math.max(...lines.map(({ text }) => widthOf(text))) + 8,
            height: lines.length * chartSizes.line + 2,
            layoutOptions: {
              'elk.edgeLabels.inline': 'true',
              'elk.edgeLabels.placement': 'CENTER',
            },
          },
        ]
  return { id, sources: [boxId(source)], targets: [boxId(target)], labels }
}

function boxId(id: string): string {
  return `b${id}`
}

function dotId(id: string): string {
  return `d${id}`
}

/** Signs of the East and pictures are twice as wide. */
function widthOf(text: string): number {
  const wide = text.match(
    /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uff00-\uff60]|\p{Emoji_Presentation}/gu,
  )
  return (text.length + (wide?.length ?? 0)) * chartSizes.character
}

// ── from elk ────────────────────────────────────────────────────────────────────────────────────

/** The chart, with the places that elk has found. */
export function readLayout(chart: Chart, graph: ElkNode): ChartLayout {
  const boxes = new Map(allBoxes(graph).map((box) => [box.id, box]))
  const lines = new Map((graph.edges ?? []).map((edge) => [edge.id, edge]))
  const nodes = nodesIn(chart.root, false)
  return {
    id: chart.id,
    digest: chart.digest,
    width: Math.ceil(graph.width ?? 0),
    height: Math.ceil(graph.height ?? 0),
    nodes: nodes.map(({ node, isRegion }) => placeNode({ node, isRegion }, chart, boxes)),
    dots: nodes.flatMap(({ node }) => centreOf(boxes.get(dotId(node.id)))),
    edges: [
      ...nodes.flatMap(({ node }) => placeInitial(node, lines)),
      ...arrowsOf(chart).map((arrow) => placeArrow(arrow, lines.get(arrow.id))),
    ],
  }
}

function allBoxes(node: ElkNode): readonly ElkNode[] {
  return [node, ...(node.children ?? []).flatMap(allBoxes)]
}

interface Nested {
  readonly node: ChartNode
  readonly isRegion: boolean
}

function nodesIn(node: ChartNode, isRegion: boolean): readonly Nested[] {
  const areRegions = node.kind === 'parallel'
  return [{ node, isRegion }, ...node.children.flatMap((child) => nodesIn(child, areRegions))]
}

function placeNode(
  { node, isRegion }: Nested,
  chart: Chart,
  boxes: ReadonlyMap<string, ElkNode>,
): PlacedNode {
  const { x = 0, y = 0, width = 0, height = 0 } = boxes.get(boxId(node.id)) ?? {}
  return {
    id: node.id,
    kind: node.kind,
    title: titleOfState(node),
    lines: node.kind === 'history' ? [] : linesIn(node, chart),
    ...(node.description === undefined ? {} : { description: node.description }),
    isRegion,
    x,
    y,
    width,
    height,
  }
}

function centreOf(box: ElkNode | undefined): readonly Point[] {
  if (box?.x === undefined || box.y === undefined) return []
  return [{ x: box.x + chartSizes.dot, y: box.y + chartSizes.dot }]
}

function placeInitial(
  { id, initial }: ChartNode,
  lines: ReadonlyMap<string, ElkExtendedEdge>,
): readonly PlacedEdge[] {
  const edge = lines.get(`i${id}`)
  if (initial === undefined || edge === undefined) return []
  const ends = { source: id, target: initial, lines: [], isInitial: true }
  return [{ id: edge.id, ...ends, points: pointsOf(edge) }]
}

function placeArrow(arrow: Arrow, edge: ElkExtendedEdge | undefined): PlacedEdge {
  const [label] = edge?.labels ?? []
  const { x = 0, y = 0, width = 0, height = 0 } = label ?? {}
  return {
    ...arrow,
    isInitial: false,
    points: edge === undefined ? [] : pointsOf(edge),
    ...(label === undefined ? {} : { label: { x, y, width, height } }),
  }
}

function pointsOf({ sections }: ElkExtendedEdge): readonly Point[] {
  return (sections ?? []).flatMap(({ startPoint, bendPoints, endPoint }) => [
    startPoint,
    ...(bendPoints ?? []),
    endPoint,
  ])
}
