/** The reference says what the code says: every code, every option, every default. */
import { describe, expect, test } from 'vitest'
import { errorTable } from '../../src/base/error.ts'
import { parseDuration } from '../../src/base/time.ts'
import { checkReplay } from '../../src/client/check-replay.ts'
import { submitBatch } from '../../src/client/client.ts'
import { createEngine } from '../../src/client/create-engine.ts'
import { batchSizeMax, engineDefaults } from '../../src/client/engine-options.ts'
import { silenceMax } from '../../src/client/explain.ts'
import { defaultLimits } from '../../src/client/limits.ts'
import { resultPollInterval } from '../../src/client/lookout.ts'
import { messageIdLengthMax } from '../../src/client/send.ts'
import { formatTimeline } from '../../src/client/timeline.ts'
import { beatInterval } from '../../src/engine/beat.ts'
import { stopGrace } from '../../src/engine/executor.ts'
import { foreignCheckDelay } from '../../src/engine/held-set.ts'
import { flushInterval } from '../../src/engine/run-log-buffer.ts'
import { openViewer } from '../../src/inspector/server/open-viewer.ts'
import { eventTypes } from '../../src/model/event.ts'
import { responseTypes } from '../../src/model/response.ts'
import { sqlite } from '../../src/sqlite.ts'
import { foreignPollInterval } from '../../src/storage/notifications.ts'
import { busyRetryMax } from '../../src/storage/sqlite/drive.ts'
import { groupSizeMax } from '../../src/storage/sqlite/group.ts'
import { defineActivity } from '../../src/workers/activity/define.ts'
import {
  activityDefaults,
  concurrencyMax,
  maxRetriesMax,
  workflowDefaults,
} from '../../src/workers/function-options.ts'
import { unchecked } from '../../src/workers/schema.ts'
import type { WorkflowContext } from '../../src/workers/workflow/context.ts'
import { defineWorkflow } from '../../src/workers/workflow/define.ts'
import { shortBackoffMax } from '../../src/workers/workflow/step-runner.ts'
import { read } from './section.ts'

const errors = read('docs/reference/errors.md')
const configuration = read('docs/reference/configuration.md')

/** Headings of the second or third level. */
function headings(page: string, level: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^${level} (\\w+)$`, 'gm'))].map(([, title = '']) => title)
}

/** First and second cell of the rows of a section. */
function rowsOf(title: string): ReadonlyMap<string, string> {
  const [, section = ''] = configuration.split(new RegExp(`^## ${title}$`, 'm'))
  const [own = ''] = section.split(/^## /m)
  const cells = own
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:-|option|what)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  return new Map(cells.map(([, name = '', value = '']) => [name, value]))
}

/** What a cell says, as the code has it: a count, bytes, or a duration in milliseconds. */
function valueOf(cell: string | undefined): unknown {
  const text = (cell ?? '').replaceAll(',', '').replaceAll("'", '')
  const [, amount, unit] = /^(\d+) (MiB|KiB)$/.exec(text) ?? []
  if (amount !== undefined) return Number(amount) * (unit === 'MiB' ? 1024 * 1024 : 1024)
  if (/^\d+ [a-z]/.test(text)) return parseDuration(text)
  return /^\d+$/.test(text) ? Number(text) : text
}

/** The options that a call knows, as it says when it is given one that it does not. */
async function knownOptions(call: () => unknown): Promise<readonly string[]> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (cause: unknown) => cause,
    )
  const [, list = ''] = /known are (.*)\.$/.exec(error instanceof Error ? error.message : '') ?? []
  return list.split(', ')
}

type Row = readonly [section: string, option: string, value: unknown]

const row =
  (section: string) =>
  ([name, value]: readonly [string, unknown]): Row => [section, `${section}.${name}`, value]

const unknown: object = { misspelled: 1 }

/** The options that the context of a workflow knows, as it says inside one. */
async function knownInWorkflow(): Promise<readonly string[]> {
  const activity = defineActivity({ name: 'known' }, () => 1)
  const tries: Readonly<Record<string, (context: WorkflowContext) => unknown>> = {
    call: ({ call }) => call(activity, undefined, unknown),
    step: ({ step }) => step('s', () => 1, unknown),
    sleep: ({ sleep }) => sleep(1, unknown),
    joinSet: ({ joinSet }) => joinSet('a', unknown),
    submit: ({ joinSet }) => joinSet('b').submit(activity, undefined, unknown),
    next: ({ joinSet }) => joinSet('c').next({ timeout: 1, ...unknown }),
    schedule: ({ schedule }) => schedule(activity, undefined, unknown),
  }
  const workflow = defineWorkflow({ name: 'tries' }, async (_: string, context) => {
    const known: string[] = []
    for (const [what, attempt] of Object.entries(tries)) {
      const options = await knownOptions(() => attempt(context))
      known.push(...options.map((option) => `${what}.${option}`))
    }
    return known
  })
  const engine = await createEngine({ storage: ':memory:', functions: [activity, workflow] })
  await engine.start()
  const known = await (await engine.submit(workflow, '')).result()
  await engine.stop()
  return known
}

describe('errors', () => {
  test('there is one entry for each code, and none for anything else', () => {
    expect(headings(errors, '##')).toEqual(Object.keys(errorTable))
  })

  test.each(Object.entries(errorTable))('%s begins with its sentence', (code, sentence) => {
    const [, entry = ''] = errors.split(`\n## ${code}\n`)
    const [own = ''] = entry.split('\n## ')
    expect(own.trim().split('\n')[0]).toBe(sentence)
    expect(own).toContain('**What happened.**')
    expect(own).toContain('**What to do.**')
  })
})

describe('log', () => {
  test('there is one entry for each event and response', () => {
    const titles = headings(read('docs/reference/log.md'), '###')
    expect(titles).toEqual([...eventTypes, ...responseTypes])
  })
})

describe('configuration', () => {
  const { watcherTickSleep, watcherLeeway, stopTimeout, ...executor } = engineDefaults
  const tables: readonly Row[] = [
    ...Object.entries(executor).map(row('executor')),
    ...Object.entries({ ...defaultLimits }).map(row('limits')),
    ['timersWatcher', 'timersWatcher.tickSleep', watcherTickSleep],
    ['timersWatcher', 'timersWatcher.leeway', watcherLeeway],
    ['stop', 'timeout', stopTimeout],
    ['defineActivity', 'retry.maxRetries', activityDefaults.maxRetries],
    ['defineActivity', 'retry.backoff', activityDefaults.backoff],
    ['defineActivity', 'timeout', activityDefaults.timeout],
    ['defineWorkflow', 'retry.backoff', activityDefaults.backoff],
    ['defineWorkflow', 'retry.maxBackoff', workflowDefaults.maxBackoff],
    ['defineWorkflow', 'timeout', activityDefaults.timeout],
    ['In a workflow', 'step.timeout', activityDefaults.timeout],
    ['tree', 'limit', defaultLimits.listPage],
    [
      'Not to be set',
      'A workflow waits between attempts of a step, without parking, for up to',
      shortBackoffMax,
    ],
    ['Not to be set', 'A busy database is asked again for', busyRetryMax],
    ['Not to be set', 'Commits of other processes are looked for every', foreignPollInterval],
    [
      'Not to be set',
      'result() looks by itself, in case every notice was lost, every',
      resultPollInterval,
    ],
    ['Not to be set', 'An executor gives a sign of life every', beatInterval],
    ['Not to be set', 'An executor that has been silent is taken for dead after', silenceMax],
    ['Not to be set', 'Between the abort of signal and the release of locks at a stop', stopGrace],
    ['Not to be set', 'Most writes in one commit', groupSizeMax],
    ['Not to be set', 'Most executions created by one transaction of submitMany', submitBatch],
    ['Not to be set', 'Lines that functions log wait to be written for at most', flushInterval],
  ]

  test.each(tables)('%s: %s is %s', (section, name, value) => {
    expect(valueOf(rowsOf(section).get(name))).toEqual(value)
  })

  test('the version of a function is 1, in quotes', () => {
    for (const section of ['defineActivity', 'defineWorkflow']) {
      expect(rowsOf(section).get('version')).toBe(`'${activityDefaults.version}'`)
    }
  })

  test('attempts of a workflow are repeated for ever', () => {
    expect(rowsOf('defineWorkflow').get('retry.maxRetries')).toBe('for ever')
    expect(workflowDefaults.maxRetries).toBeNull()
  })

  test('ranges are those of the code', () => {
    const numbers = [concurrencyMax, batchSizeMax, maxRetriesMax]
    for (const value of numbers) expect(configuration).toContain(`to ${value.toLocaleString('en')}`)
    expect(rowsOf('send').size).toBe(1)
    expect(configuration).toContain(`1 to ${messageIdLengthMax} long`)
    // What other processes did is heard of after at most this long, and then looked at.
    expect(foreignPollInterval + foreignCheckDelay).toBeLessThan(200)
  })

  test('every option that the code knows is listed, and no other', async () => {
    const activity = defineActivity({ name: 'known' }, () => 1)
    const workflow = defineWorkflow({ name: 'flow', messages: { m: unchecked<1>() } }, () => 1)
    const engine = await createEngine({ storage: ':memory:' })
    const handle = await engine.submit(workflow, undefined)
    const log = await handle.log()
    const tree = await handle.tree()
    const storage = ':memory:'
    const retry = await knownOptions(() => defineActivity({ name: 'known', retry: unknown }))
    const own = await knownOptions(() => defineActivity({ name: 'known', ...unknown }))
    const one = await knownOptions(() => engine.submit(activity, undefined, unknown))
    const many = await knownOptions(() => engine.submitMany(activity, [undefined], unknown))
    const list = await knownOptions(() => engine.list(unknown))
    const page = await knownOptions(() => engine.list({}, unknown))
    const flow = await knownOptions(() => defineWorkflow({ name: 'known', ...unknown }))
    const prefixed = async (name: string): Promise<string[]> => {
      const known = await knownOptions(() => createEngine({ storage, [name]: unknown }))
      return known.map((option) => `${name}.${option}`)
    }
    const expected: Readonly<Record<string, readonly string[]>> = {
      createEngine: await knownOptions(() => createEngine({ storage, ...unknown })),
      executor: await prefixed('executor'),
      timersWatcher: await prefixed('timersWatcher'),
      limits: await prefixed('limits'),
      defineActivity: [
        ...own.filter((name) => name !== 'retry'),
        ...retry.map((name) => `retry.${name}`),
      ],
      defineWorkflow: [
        ...flow.filter((name) => name !== 'retry'),
        ...retry.map((name) => `retry.${name}`),
      ],
      'In a workflow': await knownInWorkflow(),
      send: await knownOptions(() => handle.send('m', 1, unknown)),
      tree: await knownOptions(() => handle.tree(unknown)),
      formatTimeline: await knownOptions(() => formatTimeline(tree, unknown)),
      checkReplay: await knownOptions(() => checkReplay(workflow, log, unknown)),
      submit: [...new Set([...one, ...many])],
      list: [...list, ...page],
      openViewer: await knownOptions(() => openViewer(unknown)),
      sqlite: await knownOptions(() => sqlite({ file: storage, ...unknown })),
    }
    await engine.stop()
    for (const [section, names] of Object.entries(expected)) {
      expect([...rowsOf(section).keys()].toSorted(), section).toEqual(names.toSorted())
    }
  })
})
