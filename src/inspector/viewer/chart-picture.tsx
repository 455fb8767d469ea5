/** A statechart as a picture: boxes, arrows and texts, each a node of its own, and none pasted. */

import type { JSX } from 'preact'
import type { ChartPoint, ChartText, PlacedChart } from '../server/wire.ts'

/** What a picture points out. */
interface Marks {
  /** States that are active. */
  readonly active: ReadonlySet<string>
  /** Transitions that were taken last. */
  readonly taken: ReadonlySet<string>
}

/** The picture. */
export function ChartPicture(props: {
  readonly chart: PlacedChart
  readonly active?: readonly string[]
  readonly taken?: readonly string[]
}): JSX.Element {
  const { chart, active = [], taken = [] } = props
  const marks = { active: new Set(active), taken: new Set(taken) }
  const { width, height } = chart
  // What was taken is drawn last, so that no other arrow lies over it.
  const edges = chart.edges.toSorted(
    (left, right) => Number(isTaken(left.lines, marks)) - Number(isTaken(right.lines, marks)),
  )
  return (
    <div class="chart" tabIndex={0} aria-label={describe(chart, marks)} role="img">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
        {chart.nodes.map((node) => (
          <Box key={node.id} node={node} marks={marks} />
        ))}
        {chart.dots.map(({ x, y }) => (
          <circle key={`${x},${y}`} class="chart-dot" cx={x} cy={y} r={5} />
        ))}
        {edges.map((edge) => (
          <Arrow key={edge.id} points={edge.points} isOn={isTaken(edge.lines, marks)} />
        ))}
        {chart.nodes.map((node) => (
          <Texts key={node.id} node={node} marks={marks} />
        ))}
        {edges.map((edge) => (
          <Label key={edge.id} edge={edge} marks={marks} />
        ))}
      </svg>
    </div>
  )
}

type Node = PlacedChart['nodes'][number]
type Edge = PlacedChart['edges'][number]

function describe({ id, nodes }: PlacedChart, { active }: Marks): string {
  const now = nodes.filter((node) => node.id !== '' && active.has(node.id))
  const titles = now.map(({ title }) => title).join(', ')
  return titles === '' ? `Statechart of ${id}` : `Statechart of ${id}. Active: ${titles}`
}

function isTaken(lines: readonly ChartText[], { taken }: Marks): boolean {
  return lines.some(({ edges }) => edges.some((id) => taken.has(id)))
}

function classOf({ id, kind, isRegion }: Node, { active }: Marks): string {
  const inner = [...active].some((other) => other !== id && other.startsWith(`${id}.`))
  const parts = [
    'state',
    `is-${kind}`,
    id === '' ? 'is-root' : '',
    isRegion ? 'is-region' : '',
    id !== '' && active.has(id) ? (inner ? 'is-outer' : 'is-active') : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function Box({ node, marks }: { readonly node: Node; readonly marks: Marks }): JSX.Element {
  const { id, x, y, width, height, kind, description } = node
  return (
    <g class={classOf(node, marks)} data-state={id}>
      {description !== undefined && <title>{description}</title>}
      {kind === 'history' ? (
        <circle cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />
      ) : (
        <rect x={x} y={y} width={width} height={height} rx={6} />
      )}
      {kind === 'final' && (
        <rect x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={4} />
      )}
    </g>
  )
}

/** Where the layout puts the texts of a state; it measures them so. */
const left = 10
const titleAt = 18
const firstLineAt = 40
const lineHeight = 16

function Texts({ node, marks }: { readonly node: Node; readonly marks: Marks }): JSX.Element {
  const { x, y, width, height, kind, title, lines } = node
  if (kind === 'history') {
    return (
      <text x={x + width / 2} y={y + height / 2 + 4} text-anchor="middle">
        {title}
      </text>
    )
  }
  return (
    <g class={classOf(node, marks)}>
      <text class="chart-title" x={x + left} y={y + titleAt}>
        {title}
      </text>
      {lines.map((line, index) => (
        <Line
          key={index}
          line={line}
          marks={marks}
          at={{ x: x + left, y: y + firstLineAt + index * lineHeight }}
        />
      ))}
    </g>
  )
}

function Line(props: {
  readonly line: ChartText
  readonly at: ChartPoint
  readonly marks: Marks
}): JSX.Element {
  const { line, at, marks } = props
  return (
    <text class={isTaken([line], marks) ? 'chart-line is-taken' : 'chart-line'} x={at.x} y={at.y}>
      {line.text}
    </text>
  )
}

function Arrow(props: {
  readonly points: readonly ChartPoint[]
  readonly isOn: boolean
}): JSX.Element {
  const { points, isOn } = props
  const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  return (
    <g class={isOn ? 'arrow is-taken' : 'arrow'}>
      <path d={path} />
      <path class="tip" d={tipOf(points)} />
    </g>
  )
}

/** A triangle at the end of a line. */
function tipOf(points: readonly ChartPoint[]): string {
  const tip = points.at(-1)
  const before = points.at(-2)
  if (tip === undefined || before === undefined) return ''
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x)
  const corner = (turn: number): string => {
    const x = tip.x - 8 * Math.cos(angle + turn)
    const y = tip.y - 8 * Math.sin(angle + turn)
    return `L${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return `M${tip.x} ${tip.y}${corner(0.42)}${corner(-0.42)}z`
}

function Label({
  edge,
  marks,
}: {
  readonly edge: Edge
  readonly marks: Marks
}): JSX.Element | null {
  const { label, lines } = edge
  if (label === undefined) return null
  return (
    <g class="label">
      <rect x={label.x} y={label.y} width={label.width} height={label.height} />
      {lines.map((line, index) => (
        <Line
          key={index}
          line={line}
          marks={marks}
          at={{ x: label.x + 4, y: label.y + 13 + index * lineHeight }}
        />
      ))}
    </g>
  )
}
