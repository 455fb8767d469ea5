/** The bridge to the hosted inspector, with a stand-in for the page that is not ours. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { makePast } from './past.ts'
import { chromiumPath, openBrowser, openStage, reason, type Stage } from './stage.ts'

/** Does as the hosted page: says that it is there, and takes frames. */
const standIn = `<!doctype html><body><script>
  const types = new Set()
  addEventListener('message', ({ data, origin }) => {
    types.add(data.type + ' of ' + data.sessionId)
    document.body.textContent = [...types].join(', ') + ' from ' + origin
  })
  parent.postMessage({ type: '@statelyai.connected' }, '*')
</script></body>`

describe.skipIf(chromiumPath === undefined)(`the bridge${reason}`, () => {
  const directory = temporaryDirectory()
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    browser = await openBrowser()
    const file = directory.file('past.db')
    await makePast(file, 3)
    stage = await openStage(browser, { storage: file })
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await browser.close()
    directory[Symbol.dispose]()
  })

  test('hands the past of an execution to the page in its frame, and to no other', async () => {
    const { page, viewer } = stage
    const outside: string[] = []
    await page.route(/^https:/, async (route) => {
      outside.push(new URL(route.request().url()).href)
      await route.fulfill({ contentType: 'text/html', body: standIn })
    })
    await page.goto(new URL('/stately?id=order-2', viewer.url).href)
    const body = page.frameLocator('#inspector').locator('body')
    await expect.poll(() => body.textContent()).toContain('@xstate.snapshot of order-2')
    expect(await body.textContent()).toContain('@xstate.actor of order-2.o:1-charge_1')
    expect(await body.textContent()).toContain(`from http://127.0.0.1:${viewer.port}`)
    expect(outside).toEqual(['https://stately.ai/inspect'])
    expect(stage.complaints).toEqual([])
  })

  test('is the only page that asks for anything from outside', async () => {
    const { page, viewer } = stage
    const outside: string[] = []
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== `http://127.0.0.1:${viewer.port}`) outside.push(request.url())
    })
    await page.goto(viewer.url)
    for (const hash of ['#/executions', '#/execution/order-1', '#/executors', '#/machines']) {
      await stage.go(hash)
      await page.locator('.lines, .card').first().waitFor()
    }
    expect(outside).toEqual([])
  })
})
