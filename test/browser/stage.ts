/** A browser before a viewer: the source of the server, and the viewer's modules as they are built. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createAssets } from '../../src/inspector/server/assets.ts'
import { openViewerWith, type Viewer } from '../../src/inspector/server/open-viewer.ts'
import type { ViewerOptions } from '../../src/inspector/server/viewer-options.ts'

const built = new URL('../../dist/src/inspector/viewer/', import.meta.url)

/** A Chromium on the search path of this process, if there is one. */
export const chromiumPath: string | undefined = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) =>
    ['chromium', 'chromium-browser', 'google-chrome'].map((n) => join(folder, n)),
  )
  .find(isProgram)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What the title of a suite says when it cannot run. */
export const reason = chromiumPath === undefined ? ' (skipped: no Chromium on the PATH)' : ''

/** A browser; without one the tests are skipped before they ask. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? 'chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  })
}

/** A page before a viewer, and everything that it complained about. */
export interface Stage extends AsyncDisposable {
  readonly page: Page
  readonly viewer: Viewer
  /** Errors of the console, exceptions, refused requests and dialogs. */
  readonly complaints: readonly string[]
  /** Goes to a place in the viewer. */
  readonly go: (hash: string) => Promise<void>
}

/** Opens a viewer, and a page of the browser on it. */
export async function openStage(
  browser: Browser,
  options: ViewerOptions,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Stage> {
  const viewer = await openViewerWith(options, { assets: createAssets(built) })
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`)
    dialog.dismiss().catch(() => undefined)
  })
  page.on('requestfailed', (request) => {
    // The browser gives up what a page no longer waits for.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(request.url())
  })
  await page.goto(viewer.url)
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
  return {
    page,
    viewer,
    complaints,
    go: async (hash) => {
      await page.evaluate((next) => {
        location.hash = next
      }, hash)
    },
    [Symbol.asyncDispose]: async () => {
      await context.close()
      await viewer.close()
    },
  }
}
