/** The picture of a chart. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { activeStates, chartOf } from '../../../src/inspector/chart.ts'
import { createChartLayouts } from '../../../src/inspector/chart-layout.ts'
import { svgOf } from '../../../src/inspector/chart-svg.ts'
import { userMachine } from '../../support/user-machine.ts'

const layout = await createChartLayouts().layoutOf(chartOf(userMachine))

function statesWith(svg: string, name: string): readonly string[] {
  const found = svg.matchAll(/<g class="([^"]*)" data-state="([^"]*)"/g)
  return [...found].flatMap(([, classes = '', id = '']) =>
    classes.split(' ').includes(name) ? [id] : [],
  )
}

describe('picture of a chart', () => {
  it('is one SVG with a title and a description', () => {
    const svg = svgOf(layout)
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]* role="img">/)
    expect(svg).toContain('<title>order</title>')
    expect(svg).toContain('<desc>Statechart of order: 18 states, 16 arrows.</desc>')
  })

  it('has colours for light and dark', () => {
    expect(svgOf(layout)).toContain('@media(prefers-color-scheme:dark)')
  })

  it('loads nothing and runs nothing', () => {
    expect(svgOf(layout)).not.toMatch(/<script|href=|url\(|@import| on\w+=/)
  })

  it('points out the active states, and says which they are', () => {
    const active = activeStates({ working: { payment: 'paid', packing: 'idle' } })
    const svg = svgOf(layout, { active })
    expect(statesWith(svg, 'active')).toEqual([
      'working',
      'working.payment',
      'working.payment.paid',
      'working.packing',
      'working.packing.idle',
    ])
    expect(svg).toContain('Active: working, payment, paid, packing, idle.')
  })

  it('points out the path, and draws it over the other arrows', () => {
    const edge = layout.edges.find(({ lines }) => lines[0]?.text === 'HOLD')
    const svg = svgOf(layout, { path: edge?.lines[0]?.edges })
    const arrows = [...svg.matchAll(/<g class="edge( taken)?" data-edge="([^"]*)"/g)]
    expect(arrows.filter(([, taken]) => taken !== undefined).map(([, , id]) => id)).toEqual([
      edge?.id,
    ])
    expect(arrows.at(-1)?.[2]).toBe(edge?.id)
    expect(svg).toMatch(/<text class="line taken"[^>]*>HOLD<\/text>/)
  })

  it('points out a transition that stays in its state', () => {
    const svg = svgOf(layout, {
      path: layout.nodes.find(({ id }) => id === 'draft')?.lines[1]?.edges,
    })
    expect(svg).toMatch(/<text class="line taken"[^>]*>EDIT \/ assign<\/text>/)
  })

  it('escapes every text', async () => {
    const odd = '</text><script>"&\u0000\uD800'
    const machine = createMachine({
      id: odd,
      description: odd,
      initial: odd,
      entry: odd,
      states: { [odd]: { description: odd, on: { [odd]: odd } } },
    })
    const svg = svgOf(await createChartLayouts().layoutOf(chartOf(machine)), { description: odd })
    expect(svg).not.toContain('<script')
    expect(svg).not.toContain('\u0000')
    expect(svg).not.toContain('\uD800')
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;&quot;&amp;\uFFFD\uFFFD')
  })
})
