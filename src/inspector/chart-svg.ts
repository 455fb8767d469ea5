/**
 * A layout → a picture: one self-contained SVG, for light and dark, that loads nothing and runs
 * nothing. Every text is escaped: keys and names of a machine may be anything.
 */

import { chartSizes } from './chart-graph.ts'
import type { ChartLayout, PlacedEdge, PlacedLine, PlacedNode, Point } from './placed-chart.ts'

/** What a picture points out. */
export interface ChartMarks {
  /** Ids of states that are active, as `activeStates` gives them. */
  readonly active?: readonly string[] | undefined
  /** Ids of the transitions that were taken. */
  readonly path?: readonly string[] | undefined
  /** What the picture shows, for those who do not see it. Default: the machine and its states. */
  readonly description?: string | undefined
}

/** The picture as text. */
export function svgOf(layout: ChartLayout, marks: ChartMarks = {}): string {
  const { width, height } = layout
  const marked: Marked = { active: new Set(marks.active), path: new Set(marks.path) }
  // The path is drawn last, so that no other arrow lies over it.
  const edges = layout.edges.toSorted((a, b) => Number(isOn(a, marked)) - Number(isOn(b, marked)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="stele-chart" viewBox="0 0 ${width} ${height}"`,
    ` width="${width}" height="${height}" role="img">`,
    `<title>${escaped(layout.id)}</title>`,
    `<desc>${escaped(marks.description ?? describe(layout, marked))}</desc>`,
    `<style>${style}</style>`,
    ...layout.nodes.map((node) => drawBox(node, marked)),
    ...layout.dots.map(drawDot),
    ...edges.map((edge) => drawEdge(edge, marked)),
    // Texts lie over arrows: an arrow may have to cross the state that it leads into.
    ...layout.nodes.map((node) => drawTexts(node, marked)),
    ...edges.map((edge) => drawLabel(edge, marked)),
    '</svg>',
  ].join('')
}

interface Marked {
  readonly active: ReadonlySet<string>
  readonly path: ReadonlySet<string>
}

/** Colours are properties, so that a page around the picture may set its own. */
const style = [
  '.stele-chart{',
  '--c-back:#fff;--c-box:#f6f7f9;--c-line:#8b95a5;--c-text:#1c2430;--c-faint:#566070;',
  '--c-active:#0b63ce;--c-active-box:#dcebff;--c-path:#b4540a;',
  'background:var(--stele-back,var(--c-back));color-scheme:light dark;',
  'font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}',
  '@media(prefers-color-scheme:dark){.stele-chart{',
  '--c-back:#14181f;--c-box:#1d232d;--c-line:#6d7889;--c-text:#e8ecf2;--c-faint:#a4afbf;',
  '--c-active:#6cb0ff;--c-active-box:#17365c;--c-path:#ffab5e}}',
  '.stele-chart rect,.stele-chart circle.history{fill:var(--c-box);stroke:var(--c-line)}',
  '.stele-chart .root>rect{fill:var(--c-back)}',
  '.stele-chart .region>rect{stroke-dasharray:5 4}',
  // A halo, so that an arrow behind a text does not strike it through.
  '.stele-chart text{fill:var(--c-text);paint-order:stroke;stroke:var(--c-box);stroke-width:4px;',
  'stroke-linejoin:round}.stele-chart .root>text,.stele-chart .label text{stroke:none}',
  '.stele-chart .active:not(.outer)>text{stroke:var(--c-active-box)}',
  '.stele-chart .name{font-weight:600}.stele-chart .line{fill:var(--c-faint)}',
  '.stele-chart .active>rect{fill:var(--c-active-box);stroke:var(--c-active);stroke-width:2.5}',
  '.stele-chart .active.root>rect,.stele-chart .active.outer>rect{fill:var(--c-box)}',
  '.stele-chart .active>.name{fill:var(--c-active)}',
  '.stele-chart .arrow{fill:none;stroke:var(--c-line);stroke-width:1.3}',
  '.stele-chart .tip,.stele-chart .dot{fill:var(--c-line)}',
  '.stele-chart .taken .arrow{stroke:var(--c-path);stroke-width:2.5}',
  '.stele-chart .taken .tip{fill:var(--c-path)}',
  '.stele-chart .label>rect{fill:var(--c-back);stroke:none;opacity:.9}',
  '.stele-chart .line.taken{fill:var(--c-path);font-weight:700}',
].join('')

function describe({ id, nodes, edges }: ChartLayout, { active }: Marked): string {
  const states = nodes.filter((node) => node.id !== '')
  const now = states.filter((node) => active.has(node.id)).map(({ title }) => title)
  const arrows = edges.filter(({ isInitial }) => !isInitial)
  return [
    `Statechart of ${id}: ${states.length} states, ${arrows.length} arrows.`,
    ...(now.length === 0 ? [] : [`Active: ${now.join(', ')}.`]),
  ].join(' ')
}

function isOn({ lines }: Pick<PlacedEdge, 'lines'>, { path }: Marked): boolean {
  return lines.some((line) => line.edges.some((id) => path.has(id)))
}

// ── states ──────────────────────────────────────────────────────────────────────────────────────

function drawBox(node: PlacedNode, marked: Marked): string {
  const { x, y, width, height, kind, description } = node
  const hint = description === undefined ? '' : `<title>${escaped(description)}</title>`
  const begin = `<g class="${classesOf(node, marked)}" data-state="${escaped(node.id)}">${hint}`
  if (kind === 'history') {
    const [cx, cy, r] = [x + width / 2, y + height / 2, width / 2 - 1]
    return `${begin}<circle class="history" cx="${cx}" cy="${cy}" r="${r}"/></g>`
  }
  const isFinal = kind === 'final'
  const inner = isFinal ? rect({ x: x + 3, y: y + 3, width: width - 6, height: height - 6 }) : ''
  const rule = node.lines.length === 0 ? '' : ruleBelow(node)
  return `${begin}${rect(node)}${inner}${rule}</g>`
}

function drawTexts(node: PlacedNode, marked: Marked): string {
  const { x, y, width, height, kind, title } = node
  const begin = `<g class="${classesOf(node, marked)}">`
  if (kind === 'history') {
    const [cx, cy] = [x + width / 2, y + height / 2 + 4]
    return `${begin}<text x="${cx}" y="${cy}" text-anchor="middle">${escaped(title)}</text></g>`
  }
  const left = x + chartSizes.padding
  const heading = `<text class="name" x="${left}" y="${y + 18}">${escaped(title)}</text>`
  const lines = node.lines.map((line, index) =>
    drawLine(line, { x: left, y: y + chartSizes.title + 14 + index * chartSizes.line }, marked),
  )
  return `${begin}${heading}${lines.join('')}</g>`
}

function classesOf({ id, kind, isRegion }: PlacedNode, { active }: Marked): string {
  const isOuter = kind === 'compound' || kind === 'parallel'
  return [
    kind,
    ...(id === '' ? ['root'] : []),
    ...(isOuter ? ['outer'] : []),
    ...(isRegion ? ['region'] : []),
    ...(active.has(id) ? ['active'] : []),
  ].join(' ')
}

function rect({ x, y, width, height }: Pick<PlacedNode, 'x' | 'y' | 'width' | 'height'>): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`
}

function ruleBelow({ x, y, width }: PlacedNode): string {
  const top = y + chartSizes.title
  return `<path class="arrow" d="M${x} ${top}h${width}"/>`
}

function drawLine({ text, edges }: PlacedLine, { x, y }: Point, { path }: Marked): string {
  const isTaken = edges.some((id) => path.has(id))
  const classes = isTaken ? 'line taken' : 'line'
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escaped(text)}</text>`
}

function drawDot({ x, y }: Point): string {
  return `<circle class="dot" cx="${round(x)}" cy="${round(y)}" r="${chartSizes.dot}"/>`
}

// ── arrows ──────────────────────────────────────────────────────────────────────────────────────

/** Length and half the width of the tip of an arrow. */
const tip = { length: 8, half: 4 } as const

function drawEdge(edge: PlacedEdge, marked: Marked): string {
  const { points } = edge
  const end = points.at(-1)
  const before = points.at(-2)
  if (end === undefined || before === undefined) return ''
  const classes = isOn(edge, marked) ? 'edge taken' : 'edge'
  const name = `<g class="${classes}" data-edge="${escaped(edge.id)}">`
  const line = points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('L')
  return `${name}<path class="arrow" d="M${line}"/>${drawTip(before, end)}</g>`
}

function drawTip(before: Point, end: Point): string {
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length]
  const [x, y] = [end.x - dx * tip.length, end.y - dy * tip.length]
  const corners = [
    [end.x, end.y],
    [x - dy * tip.half, y + dx * tip.half],
    [x + dy * tip.half, y - dx * tip.half],
  ]
  const line = corners.map(([left = 0, top = 0]) => `${round(left)} ${round(top)}`).join('L')
  return `<path class="tip" d="M${line}Z"/>`
}

function drawLabel({ label, lines }: PlacedEdge, marked: Marked): string {
  if (label === undefined) return ''
  const texts = lines.map((line, index) =>
    drawLine(line, { x: label.x + 4, y: label.y + 13 + index * chartSizes.line }, marked),
  )
  return `<g class="label">${rect(label)}${texts.join('')}</g>`
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** As text and as attribute alike. What XML cannot say at all becomes a mark. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
}
