/** What pages say of the code, in pictures and tables, is made from the code. */
import { describe, expect, test } from 'vitest'
import { executionMachine } from '../../machines/execution.ts'
import { executorMachine } from '../../machines/executor.ts'
import { lockedExecutionMachine } from '../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../machines/timers-watcher.ts'
import { drawFloors } from './floors.ts'
import { drawEvents, drawResponses } from './log-tables.ts'
import { drawMachine, silentEvents } from './mermaid.ts'
import { fence, pathOf, withSections } from './section.ts'
import { drawTransitions } from './transitions.ts'

const machines = {
  execution: executionMachine,
  executor: executorMachine,
  'locked-execution': lockedExecutionMachine,
  'timers-watcher': timersWatcherMachine,
} as const

const pages: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'docs/machines.md': () => ({
    ...Object.fromEntries(
      Object.entries(machines).map(([name, machine]) => [
        name,
        fence('mermaid', drawMachine(machine)),
      ]),
    ),
    silent: [...silentEvents(executionMachine)]
      .map(
        ([state, events]) => `- in \`${state}\`: ${events.map((name) => `\`${name}\``).join(', ')}`,
      )
      .join('\n'),
  }),
  'docs/architecture.md': () => ({
    floors: fence('mermaid', drawFloors()),
    transitions: drawTransitions(),
  }),
  'docs/reference/log.md': () => ({ events: drawEvents(), responses: drawResponses() }),
}

describe('generated sections', () => {
  // `npm run docs` writes them anew.
  test.each(Object.entries(pages))('%s is current', async (path, sections) => {
    await expect(withSections(path, sections())).toMatchFileSnapshot(pathOf(path))
  })
})
