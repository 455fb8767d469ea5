/** Text that wants to be more than text, in everything that a viewer shows. */

import type { Browser } from 'playwright-core'
import {
  ActivityError,
  createEngine,
  defineActivity,
  defineWorkflow,
  type Engine,
  unchecked,
} from 'stele'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { eventLoopTurn } from '../support/test-time.ts'
import { chromiumPath, openBrowser, openStage, reason, type Stage } from './stage.ts'

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '</script><script>window.hacked=1</script>',
  '<svg onload="window.hacked=1">',
  '"\'><a href="javascript:window.hacked=1">press</a>',
  'javascript:window.hacked=1',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202Etxet desrever\u0000',
].join(' ')

const failing = defineActivity(
  { name: 'failing', retry: { maxRetries: 1, backoff: 1 } },
  (_: unknown, { log }) => {
    log.error(hostile, { [hostile]: hostile })
    throw new Error(hostile)
  },
)
const refusing = defineActivity({ name: 'refusing', retry: { maxRetries: 0 } }, () => {
  throw new ActivityError({ [hostile]: hostile })
})
const flow = defineWorkflow(
  { name: 'flow', messages: { tell: unchecked<unknown>() } },
  async (_: unknown, { outcome, step, messages }) => {
    await outcome(failing, { [hostile]: hostile })
    await step(hostile, () => new Map([[hostile, new Set([hostile])]]))
    const told = await messages.tell.next()
    await messages.tell.next()
    return { [hostile]: told }
  },
)

async function makeHostile(engine: Engine): Promise<void> {
  await engine.start()
  const metadata = { [hostile]: hostile }
  const running = await engine.submit(flow, { [hostile]: hostile }, { id: 'flow-1', metadata })
  await running.send('tell', { [hostile]: hostile }, { id: hostile })
  await (await engine.submit(failing, hostile, { id: 'failing-1', metadata })).outcome()
  await (await engine.submit(refusing, undefined, { id: 'refusing-1' })).outcome()
  const doomed = await engine.submit(failing, hostile, { id: 'doomed-1', delay: '1h' })
  await doomed.cancel({ reason: hostile })
  const stopped = await engine.submit(failing, hostile, { id: 'held-1', paused: true })
  await stopped.state()
  for (;;) {
    await eventLoopTurn()
    const { events } = await running.log()
    if (events.filter((event) => event.type === 'join_next').length >= 3) break
  }
}

describe.skipIf(chromiumPath === undefined)(`a hostile text runs nowhere${reason}`, () => {
  const directory = temporaryDirectory()
  const file = directory.file('hostile.db')
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    browser = await openBrowser()
    const engine = await createEngine({
      storage: file,
      functions: [failing, refusing, flow],
      logger: false,
    })
    await makeHostile(engine)
    await engine.stop()
    // What no engine writes, somebody else may have written.
    const connection = openConnection(file, 1_000)
    const text = JSON.stringify(hostile.replaceAll('\0', '')).replaceAll("'", "''")
    const sql = text.slice(1, -1)
    connection.runScript(`
      UPDATE executors SET host = '${sql}', kind = '${sql}', functions = '[${text}]';
      UPDATE executions SET set_aside_reason = '${sql}' WHERE execution_id = 'held-1';
    `)
    connection.close()
    stage = await openStage(browser, { storage: file })
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await browser.close()
    directory[Symbol.dispose]()
  })

  async function expectHarmless(): Promise<void> {
    const found = await stage.page.evaluate(() => ({
      hacked: 'hacked' in window,
      images: document.querySelectorAll('img, iframe, object, embed').length,
      scripts: document.querySelectorAll('#app script').length,
      links: [...document.querySelectorAll('a')].filter(({ protocol }) => protocol !== 'http:')
        .length,
      handlers: document.querySelectorAll('[onerror], [onload], [onclick]').length,
    }))
    expect(found).toEqual({ hacked: false, images: 0, scripts: 0, links: 0, handlers: 0 })
    expect(stage.complaints).toEqual([])
  }

  const ids = ['flow-1', 'failing-1', 'refusing-1', 'doomed-1', 'held-1', 'flow-1.o:1-failing_1']
  const tabs = ['Events', 'Values', 'Children', 'Inbox', 'Logs']

  test.each(ids)('in %s: at every event, in every tab', async (id) => {
    const { page } = stage
    await stage.go(`#/execution/${encodeURIComponent(id)}`)
    await page.locator('.event.is-current .event-type').waitFor()
    await page.keyboard.press('Home')
    for (let version = 0; ; version += 1) {
      await expect
        .poll(() => page.locator('.detail h3').textContent())
        .toMatch(new RegExp(`^${version} `))
      await expectHarmless()
      if (await page.getByRole('button', { name: 'Event after' }).isDisabled()) break
      await page.getByRole('button', { name: 'Event after' }).click()
    }
    for (const name of tabs) {
      await page.getByRole('tab', { name }).click()
      await page.locator('#tab-panel .loading').waitFor({ state: 'detached' })
      await page.locator('details').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '')
      })
      await expectHarmless()
    }
  })

  test.each(['#/executions?children=true', '#/executors', '#/machines'])('in %s', async (hash) => {
    await stage.go(hash)
    await stage.page.locator('.lines, .card').first().waitFor()
    await expectHarmless()
  })

  test('in the address itself', async () => {
    for (const hash of [
      `#/execution/${encodeURIComponent(hostile)}`,
      `#/executions?prefix=${encodeURIComponent(hostile)}&function=${encodeURIComponent(hostile)}`,
      `#/${hostile}`,
    ]) {
      await stage.go(hash)
      await stage.page.locator('main').waitFor()
      expect(await stage.page.evaluate(() => 'hacked' in window)).toBe(false)
    }
  })

  test('and is shown as what it is', async () => {
    await stage.go('#/execution/failing-1?tab=values')
    await expect
      .poll(() => stage.page.locator('#tab-panel').textContent())
      .toContain('<img src=x onerror=')
  })
})
