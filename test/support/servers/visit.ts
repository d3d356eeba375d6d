import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '../../../tools/playwright.ts'
import type { Cleanup } from '../cleanup.ts'
import { CHROMIUM, CHROMIUM_ARGS } from './browser.ts'

/** A page that a browser has open, and what it has asked for and complained about so far. */
export interface Visit {
  page: Page
  /** The addresses of all its requests. */
  requests: string[]
  complaints: string[]
}

/** Opens pages in a browser that is started for the first of them and ends with the file; each has its own cookies and storage. */
export function buildVisit({ after }: Cleanup) {
  let browser: Promise<Browser> | undefined
  after(async () => (await browser)?.close())

  return async (t: TestContext, url: string, options: BrowserContextOptions = {}): Promise<Visit> => {
    browser ??= chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
    const context = await (await browser).newContext(options)
    t.after(() => context.close())
    const page = await context.newPage()
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', request => requests.push(request.url()))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(url)
    return { page, requests, complaints }
  }
}
