/** The viewer as a person uses it: on a running engine, and on what a dead one has left. */

import type { Browser, Page } from 'playwright-core'
import { createEngine } from 'stele'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { makePast, pastFunctions } from './past.ts'
import { chromiumPath, openBrowser, openStage, reason, type Stage } from './stage.ts'

const directory = temporaryDirectory()
const file = directory.file('past.db')

/** States that the chart shows as active, innermost. */
async function activeStates(page: Page): Promise<readonly string[]> {
  const states = page.locator('.side .chart g.state.is-active[data-state]')
  return states.evaluateAll((found) => found.map((one) => one.getAttribute('data-state') ?? ''))
}

const lineOf = (caption: string | null): number => Number(caption?.split(':').at(-1))

const versionShown = (page: Page) => page.locator('.scrubber .where strong')

describe.skipIf(chromiumPath === undefined)(`the viewer${reason}`, () => {
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    browser = await openBrowser()
    await makePast(file)
    stage = await openStage(browser, { storage: file })
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await browser.close()
    directory[Symbol.dispose]()
  })

  describe('of a dead database', () => {
    test('forgets the token that stood in the address', () => {
      expect(stage.page.url()).not.toContain('token')
    })

    test('lists what there is, and says that nothing runs', async () => {
      await stage.go('#/executions')
      const ids = stage.page.locator('table.lines a.id')
      await ids.filter({ hasText: 'order-1' }).waitFor()
      expect((await ids.allTextContents()).toSorted()).toEqual(
        ['counted', 'held', 'later', 'order-1', 'order-2', 'refused'].toSorted(),
      )
      await stage.go('#/executors')
      await stage.page.getByText('No executor is alive').waitFor()
    })

    test.each([
      ['state=ok', ['counted', 'order-2']],
      ['state=err', ['refused']],
      ['state=paused', ['held']],
      ['state=waiting', ['order-1']],
      ['function=order', ['order-1', 'order-2']],
      ['prefix=order', ['order-1', 'order-2']],
    ])('filters by what stands in the address: %s', async (query, expected) => {
      await stage.go(`#/executions?${query}`)
      const ids = stage.page.locator('table.lines a.id')
      await expect.poll(async () => (await ids.allTextContents()).toSorted()).toEqual(expected)
    })

    test('filters by what is typed, and keeps it in the address', async () => {
      await stage.go('#/executions')
      await stage.page.getByLabel('Id begins with').fill('refu')
      const ids = stage.page.locator('table.lines a.id')
      await expect.poll(() => ids.allTextContents()).toEqual(['refused'])
      expect(stage.page.url()).toContain('prefix=refu')
    })

    test('says so when no execution is like that', async () => {
      await stage.go('#/executions?prefix=nobody')
      await stage.page.getByText('No execution is like this.').waitFor()
      await stage.go('#/execution/nobody')
      const alert = stage.page.getByRole('alert')
      await expect.poll(() => alert.textContent()).toContain('There is no execution "nobody"')
    })

    test('opens an execution: why it waits, what it did, what went in', async () => {
      await stage.go('#/executions')
      await stage.page.getByRole('link', { name: 'order-1', exact: true }).click()
      await stage.page.getByText('It waits for a response in m:approve').waitFor()
      await stage.page.locator('.timeline .doing-message').first().waitFor()
      await stage.page.getByRole('tab', { name: 'Values' }).click()
      await stage.page.getByText('acme', { exact: true }).waitFor()
      await stage.page.getByRole('tab', { name: 'Children' }).click()
      await stage.page.locator('.tree').getByRole('link', { name: 'o:1-charge_1' }).click()
      await stage.page.getByRole('heading', { name: 'order-1.o:1-charge_1' }).waitFor()
      await stage.page.getByRole('tab', { name: 'Logs' }).click()
      await stage.page.getByText('charging').first().waitFor()
      await expect.poll(() => stage.page.locator('.mark-failed').count()).toBe(1)
    })
  })

  test('steps through the code of a run that is over', async () => {
    const { page } = stage
    await stage.go('#/execution/order-2?v=2')
    const caption = page.locator('.detail .code figcaption')
    await expect.poll(() => caption.textContent()).toMatch(/past\.ts:\d+$/)
    // The test runner moves lines a little, so that which line it is says nothing here.
    await expect.poll(() => page.locator('.detail .code li').count()).toBeGreaterThan(10)
    expect(await page.locator('.detail .code li.is-meant').count()).toBe(1)
    const first = await caption.textContent()
    await page.locator('h1').click()
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.locator('.detail h3').count()).toBe(1)
      if ((await caption.count()) > 0 && (await caption.textContent()) !== first) break
    }
    expect(lineOf(await caption.textContent())).toBeGreaterThan(lineOf(first))
  })

  describe('goes through the past', () => {
    test('the last state in the chart is the one that is stored', async () => {
      await stage.go('#/execution/order-1')
      await expect.poll(() => activeStates(stage.page)).toEqual(['open.blocked'])
      await stage.go('#/execution/order-2')
      await expect.poll(() => activeStates(stage.page)).toEqual(['finished'])
      await stage.go('#/execution/held')
      await expect.poll(() => activeStates(stage.page)).toEqual(['open.paused.pending_at'])
    })

    test('slider, events, chart and detail show one moment', async () => {
      const { page } = stage
      await stage.go('#/execution/order-2')
      await page.getByRole('slider', { name: 'Event' }).fill('1')
      await expect.poll(() => activeStates(page)).toEqual(['open.locked'])
      await page.locator('.event.is-current').getByText('locked').waitFor()
      await page.locator('.detail').getByRole('heading', { name: 'locked' }).waitFor()
      expect(await page.locator('.timeline .cursor').count()).toBe(1)
      expect(page.url()).toContain('v=1')
      await page.getByRole('button', { name: 'back to now' }).click()
      await expect.poll(() => activeStates(page)).toEqual(['finished'])
    })

    test('arrow keys go from event to event, whatever tab is open', async () => {
      const { page } = stage
      await stage.go('#/execution/order-2?v=3')
      await page.getByRole('tab', { name: 'Values' }).click()
      await page.locator('h1').click()
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => versionShown(page).textContent()).toBe('2')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => versionShown(page).textContent()).toBe('4')
      await page.keyboard.press('Home')
      await expect.poll(() => activeStates(page)).toEqual(['open.pending_at'])
      await page.locator('.detail').getByRole('heading', { name: 'created' }).waitFor()
      await page.keyboard.press('End')
      await expect.poll(() => activeStates(page)).toEqual(['finished'])
    })

    test('of a long log only what is seen is drawn, and every event can be reached', async () => {
      const { page } = stage
      await stage.go('#/execution/counted')
      const rows = page.locator('.event')
      await page.locator('.event.type-finished.is-current').waitFor()
      expect(await rows.count()).toBeLessThan(100)
      await page.locator('.events').evaluate((list) => {
        list.scrollTop = list.scrollHeight / 2
      })
      const middle = page.locator('.event.type-step_finished').first()
      await middle.waitFor()
      expect(await rows.count()).toBeLessThan(100)
      await middle.click()
      await expect.poll(() => activeStates(page)).toEqual(['open.locked'])
    })
  })

  describe('by keyboard alone', () => {
    test('from the list into an execution and through its tabs', async () => {
      const { page } = stage
      await stage.go('#/executions')
      await page.getByRole('link', { name: 'order-2', exact: true }).waitFor()
      await page.keyboard.press('/')
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toBe('Id begins with')
      await page.keyboard.type('order-2')
      await expect.poll(() => page.locator('table.lines a.id').count()).toBe(1)
      for (let tabs = 0; tabs < 30; tabs += 1) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate(() => document.activeElement?.textContent)
        if (focused === 'order-2') break
      }
      const outline = await page.evaluate(() =>
        document.activeElement === null
          ? ''
          : getComputedStyle(document.activeElement).outlineStyle,
      )
      expect(outline).toBe('solid')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'order-2' }).waitFor()
      await page.getByRole('tab', { name: 'Events' }).focus()
      await page.keyboard.press('ArrowRight')
      await expect
        .poll(() => page.getByRole('tab', { name: 'Values' }).getAttribute('aria-selected'))
        .toBe('true')
    })

    test('everything that can be pressed has a name', async () => {
      for (const hash of ['#/executions', '#/execution/order-1', '#/executors', '#/machines']) {
        await stage.go(hash)
        await stage.page.locator('main').waitFor()
        const nameless = await stage.page
          .locator('button, a, input, select, textarea')
          .evaluateAll((all) =>
            all
              .filter((one) => {
                const labelled = one.closest('label') !== null || one.hasAttribute('aria-label')
                return !labelled && (one.textContent ?? '').trim() === ''
              })
              .map((one) => one.outerHTML),
          )
        expect(nameless).toEqual([])
      }
    })
  })

  test('draws the machines of an engine', async () => {
    await stage.go('#/machines')
    await expect.poll(() => stage.page.locator('.card .chart svg').count()).toBe(4)
  })

  test('is legible in the dark, and keeps the theme that was chosen', async () => {
    await using dark = await openStage(browser, { storage: file }, 'dark')
    const colours = () =>
      dark.page.evaluate(() => {
        const { backgroundColor, color } = getComputedStyle(document.documentElement)
        return [backgroundColor, color].map((text) => {
          const parts = /[\d.]+, [\d.]+, [\d.]+/.exec(text)?.[0].split(', ').map(Number) ?? []
          return parts.reduce((sum, part) => sum + part, 0)
        })
      })
    const [back = 0, text = 0] = await colours()
    expect(text - back).toBeGreaterThan(400)
    await dark.page.getByRole('button', { name: /^Theme/ }).click()
    await dark.page.getByRole('button', { name: /^Theme: light/ }).waitFor()
    const [lightBack = 0, lightText = 0] = await colours()
    expect(lightBack - lightText).toBeGreaterThan(400)
    await dark.page.reload()
    await expect.poll(async () => (await colours())[0]).toBe(lightBack)
    expect(dark.complaints).toEqual([])
  })

  test('has complained of nothing', () => {
    // A question about an execution that is not there is answered with 404, which the console notes.
    expect(stage.complaints.filter((text) => !text.includes('404'))).toEqual([])
  })

  describe('of a running engine', () => {
    test('shows what changes while one looks, and does what is asked, once it is confirmed', async () => {
      using folder = temporaryDirectory()
      await using engine = await createEngine({
        storage: folder.file('live.db'),
        functions: pastFunctions,
        logger: false,
      })
      await engine.start()
      await using live = await openStage(browser, { engine, actions: true })
      const { page } = live
      await page.getByText('No execution yet.').waitFor()
      const handle = await engine.submit(pastFunctions[2], 5, { id: 'live-1' })
      await page.getByRole('link', { name: 'live-1', exact: true }).click()
      await page.getByText('It waits for a response in m:approve').waitFor()
      await page.getByRole('button', { name: 'Send a message' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Channel').fill('approve')
      await dialog.getByLabel('Payload').fill('bob')
      await dialog.getByRole('button', { name: 'Send a message' }).click()
      await dialog.getByText('This is not JSON').waitFor()
      expect(await handle.state()).toMatchObject({ status: 'blocked' })
      await dialog.getByLabel('Payload').fill('"bob"')
      await dialog.getByRole('button', { name: 'Send a message' }).click()
      expect(await handle.result()).toMatchObject({ by: 'bob' })
      await expect.poll(() => activeStates(page)).toEqual(['finished'])
      expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
      expect(live.complaints).toEqual([])
    })

    test('cancels only what was confirmed', async () => {
      using folder = temporaryDirectory()
      await using engine = await createEngine({
        storage: folder.file('live.db'),
        functions: pastFunctions,
        logger: false,
      })
      await engine.start()
      const handle = await engine.submit(pastFunctions[0], 5, { id: 'later', delay: '1h' })
      await using live = await openStage(browser, { engine, actions: true })
      await live.go('#/execution/later')
      await live.page.getByRole('button', { name: 'Cancel' }).click()
      await live.page.getByRole('button', { name: 'Keep as it is' }).click()
      expect(await handle.state()).toMatchObject({ status: 'pending_at' })
      await live.page.getByRole('button', { name: 'Cancel' }).click()
      const dialog = live.page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('nobody wants it')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' })
      await live.page.getByText('nobody wants it').first().waitFor()
      expect(live.complaints).toEqual([])
    })

    test('that only looks has no buttons that do anything', async () => {
      await using looking = await openStage(browser, { storage: file })
      await looking.go('#/execution/order-1')
      await looking.page.getByText('It waits for a response').waitFor()
      expect(await looking.page.locator('.actions').count()).toBe(0)
    })
  })
})
