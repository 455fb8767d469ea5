// How soon a browser has drawn the list of 100,000 executions: median of some fresh pages.

import { chromium } from 'playwright-core'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { openViewer } from '../../dist/src/inspector/server/open-viewer.js'
import { sqlite } from '../../dist/src/sqlite.js'

const many = 100_000
const pages = 7

/** Milliseconds from the request of a page to its first paint, and until its first line is there. */
export async function measurePaint({ file, synchronous, payload }) {
  const noop = defineActivity({ name: 'noop' }, (input) => input.n)
  const engine = await createEngine({ storage: sqlite({ file, synchronous }), logger: false })
  await engine.submitMany(
    noop,
    Array.from({ length: many }, () => payload),
  )
  await engine.stop()
  const viewer = await openViewer({ storage: file })
  const browser = await chromium.launch({
    executablePath: process.env.STELE_CHROMIUM ?? 'chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  })
  const paints = []
  const lines = []
  for (let index = 0; index < pages; index += 1) {
    const context = await browser.newContext()
    const page = await context.newPage()
    const begin = performance.now()
    await page.goto(viewer.url)
    await page.locator('table.lines a.id').first().waitFor()
    lines.push(performance.now() - begin)
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      ),
    )
    await context.close()
  }
  await browser.close()
  await viewer.close()
  return { 'first paint, ms': middle(paints), 'first line of the list, ms': middle(lines) }
}

function middle(samples) {
  return samples.toSorted((left, right) => left - right)[Math.floor(samples.length / 2)]
}
