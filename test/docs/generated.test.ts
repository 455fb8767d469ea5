/** What pages say of the code, in pictures and tables, is made from the code. */
import { describe, expect, test } from 'vitest'
import { executionMachine } from '../../machines/execution.ts'
import { executorMachine } from '../../machines/executor.ts'
import { lockedExecutionMachine } from '../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../machines/timers-watcher.ts'
import { activeStates, type Chart, chartOf } from '../../src/inspector/chart.ts'
import { createChartLayouts } from '../../src/inspector/chart-layout.ts'
import { svgOf } from '../../src/inspector/chart-svg.ts'
import { transitionText } from '../../src/inspector/chart-text.ts'
import { mermaidOf } from '../../src/inspector/mermaid.ts'
import { drawHelps } from './cli-helps.ts'
import { drawFloors } from './floors.ts'
import { drawEvents, drawResponses } from './log-tables.ts'
import { picturedMachine } from './pictured-machine.ts'
import { fence, pathOf, read, withSections } from './section.ts'
import { drawTransitions } from './transitions.ts'

/** Stand at nearly every transition; the text beside the drawing says so once. */
const unsaid = ['isNextVersion', 'record']

const charts = {
  execution: chartOf(executionMachine, { unsaid }),
  executor: chartOf(executorMachine),
  'locked-execution': chartOf(lockedExecutionMachine),
  'timers-watcher': chartOf(timersWatcherMachine),
} as const

/** Events that leave a state as it is, a line for each state. */
function silentEvents({ edges }: Chart): string {
  const silent = edges.filter(({ targets }) => targets.length === 0)
  const sources = [...new Set(silent.map(({ source }) => source))]
  return sources
    .map((state) => {
      const events = silent.filter(({ source }) => source === state).map(transitionText)
      return `- in \`${state}\`: ${events.map((name) => `\`${name}\``).join(', ')}`
    })
    .join('\n')
}

const pages: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'docs/machines.md': () => ({
    ...Object.fromEntries(
      Object.entries(charts).map(([name, chart]) => [name, fence('mermaid', mermaidOf(chart))]),
    ),
    silent: silentEvents(charts.execution),
  }),
  'docs/architecture.md': () => ({
    floors: fence('mermaid', drawFloors()),
    transitions: drawTransitions(),
  }),
  'docs/reference/cli.md': drawHelps,
  'docs/reference/log.md': () => ({ events: drawEvents(), responses: drawResponses() }),
}

describe('generated sections', () => {
  // `npm run docs` writes them anew.
  test.each(Object.entries(pages))('%s is current', async (path, sections) => {
    await expect(withSections(path, sections())).toMatchFileSnapshot(pathOf(path))
  })
})

describe('pictures', () => {
  const guide = 'docs/guides/watching-your-machines.md'
  const layouts = createChartLayouts()

  test('that of the guide is the one that its program draws', async () => {
    const [, machine = ''] =
      /(const order = [\s\S]*?\n\}\)\n)/.exec(read('test/docs/pictured-machine.ts')) ?? []
    expect(read(guide)).toContain(machine)
    const layout = await layouts.layoutOf(chartOf(picturedMachine))
    const active = activeStates({ packing: { box: 'closed', label: 'blank' } })
    const picture = `${svgOf(layout, { active, path: ['t0'] })}\n`
    await expect(picture).toMatchFileSnapshot(pathOf('docs/pictures/order.svg'))
  })

  test.each(Object.entries(charts))('that of %s is current', async (name, chart) => {
    const picture = `${svgOf(await layouts.layoutOf(chart))}\n`
    await expect(picture).toMatchFileSnapshot(pathOf(`docs/pictures/${name}.svg`))
  })
})
