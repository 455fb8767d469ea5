/** Whatever a machine looks like, it can be written down, laid out and drawn. */

import * as fc from 'fast-check'
import {
  chartOf,
  createChartLayouts,
  definitionOf,
  mermaidOf,
  studioOf,
  svgOf,
} from 'stele/inspector'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import type { JsonObject } from '../../src/base/json.ts'

const seed = 20_261_202
const numRuns = 20

/** A state before its targets are known. */
interface Sketch {
  readonly kind: 'atomic' | 'final' | 'history' | 'compound' | 'parallel'
  readonly children: readonly Sketch[]
  readonly transitions: readonly { readonly event: string; readonly target: number }[]
}

const name = fc.oneof(fc.constantFrom('GO', 'order.paid', '*', 'end', '__proto__'), fc.string())
const transitions = fc.array(fc.record({ event: name, target: fc.nat(1_000) }), { maxLength: 2 })
const { sketch } = fc.letrec<{ sketch: Sketch }>((tie) => ({
  sketch: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({
      kind: fc.constantFrom('atomic', 'atomic', 'final', 'history'),
      children: fc.constant([]),
      transitions,
    }),
    fc.record({
      kind: fc.constantFrom('compound', 'parallel'),
      children: fc.array(tie('sketch'), { minLength: 1, maxLength: 3 }),
      transitions,
    }),
  ),
}))
const machines = fc
  .array(sketch, { minLength: 1, maxLength: 3 })
  .map((children): Sketch => ({ kind: 'compound', children, transitions: [] }))
  .map((root) => createMachine(configOf(root)))

/** The configuration of a sketch: states are numbered, and targets are numbers. */
function configOf(root: Sketch): JsonObject {
  const count = countOf(root)
  let next = 0
  const visit = ({ kind, children, transitions: edges }: Sketch, isHome: boolean): JsonObject => {
    const id = `s${next}`
    next += 1
    // What a machine begins in cannot be a memory.
    const type = kind === 'history' && isHome ? 'atomic' : kind
    const isQuiet = type === 'final' || type === 'history'
    const on = isQuiet
      ? {}
      : Object.fromEntries(
          edges.map(({ event, target }) => [event || 'e', { target: `#s${target % count}` }]),
        )
    const states = Object.fromEntries(
      children.map((child, index) => [`k.${index}`, visit(child, index === 0)]),
    )
    const begun = type === 'compound' ? { initial: 'k.0' } : {}
    return { id, type, on, ...begun, ...(children.length > 0 ? { states } : {}) }
  }
  return visit(root, true)
}

function countOf({ children }: Sketch): number {
  return children.reduce((sum, child) => sum + countOf(child), 1)
}

describe(`charts (seed ${seed})`, () => {
  it('a stored definition draws as its machine does', () => {
    fc.assert(
      fc.property(machines, (machine) => {
        const { config } = definitionOf(machine)
        const stored: JsonObject = JSON.parse(JSON.stringify(config))
        expect(chartOf(stored)).toEqual(chartOf(machine))
        expect(studioOf(machine).text).toContain('createMachine(')
      }),
      { seed, numRuns },
    )
  })

  it('every line of a diagram is one of those that a diagram consists of', () => {
    const line =
      /^(?:stateDiagram-v2| *(?:\[\*\] --> s\d+|s\d+ --> \[\*\]|s\d+ --> s\d+(?:: .+)?|s\d+: .+|state "[^"]*" as s\d+(?: \{)?|\}|--))$/u
    fc.assert(
      fc.property(machines, (machine) => {
        for (const text of mermaidOf(chartOf(machine)).split('\n')) expect(text).toMatch(line)
      }),
      { seed, numRuns },
    )
  })

  it('every chart has a layout, and a picture whose tags are balanced', async () => {
    const layouts = createChartLayouts()
    await fc.assert(
      fc.asyncProperty(machines, async (machine) => {
        const chart = chartOf(machine)
        const layout = await layouts.layoutOf(chart)
        const states = new Set(layout.nodes.map(({ id }) => id))
        expect(chart.edges.every(({ source }) => states.has(source))).toBe(true)
        expect(unbalanced(svgOf(layout))).toEqual([])
      }),
      { seed, numRuns },
    )
  }, 60_000)
})

/** Tags that are closed without having been opened, or never. */
function unbalanced(svg: string): readonly string[] {
  const open: string[] = []
  const wrong: string[] = []
  for (const [, end, tag = '', single] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (end === '/' && open.pop() !== tag) wrong.push(tag)
    if (end !== '/' && single !== '/') open.push(tag)
  }
  return [...wrong, ...open]
}
