import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '../../../tools/playwright.ts'
import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { CHROMIUM, CHROMIUM_ARGS } from './browser.ts'

/** An open page in a browser, with its requests and complaints so far. */
export interface Visit {
  page: Page
  /** The URLs of all its requests. */
  requests: string[]
  complaints: string[]
}

export interface VisitOptions extends BrowserContextOptions {
  /** The fixed time of the page's clock, in Unix milliseconds; its timers run. */
  now?: number
}

/** Waits until a script returns true. Playwright's own `waitForFunction` needs `eval` to poll, which our policy refuses. */
export function untilTrue(page: Page, script: string): Promise<void> {
  return eventually(async () => assert.ok(await page.evaluate(script), script))
}

/** Opens pages in a browser that starts with the first page and ends with the file. Each page has its own cookies and storage. */
export function buildVisit({ after }: Cleanup) {
  let browser: Promise<Browser> | undefined
  after(async () => (await browser)?.close())

  return async (t: TestContext, url: string, { now, ...options }: VisitOptions = {}): Promise<Visit> => {
    browser ??= chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
    const context = await (await browser).newContext(options)
    t.after(() => context.close())
    const page = await context.newPage()
    if (now !== undefined) await page.clock.setFixedTime(now)
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', request => requests.push(request.url()))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(url)
    return { page, requests, complaints }
  }
}
