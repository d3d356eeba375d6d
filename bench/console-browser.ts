import { spawnSync } from 'node:child_process'
import { CHROMIUM, CHROMIUM_ARGS } from '../test/support/servers/browser.ts'
import { type Browser, type BrowserContext, chromium, type Page } from '../tools/playwright.ts'
import { isPinned, LOAD_CORE } from './cores.ts'

/** Chromium with the console of a service, away from the core of the service. */
export interface ConsoleBrowser extends AsyncDisposable {
  operatorUrl: string
  /** Opens a screen in a window of its own, signed in. */
  open(path: string, script?: string): Promise<Page>
  /** Calls the admin API as the operator. */
  call(method: string, path: string, body?: unknown): Promise<Response>
}

export async function openBrowser(operatorUrl: string, token: string): Promise<ConsoleBrowser> {
  // What a process starts inherits its core; the service sets its own.
  if (isPinned) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(LOAD_CORE), String(process.pid)])
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
  const signedIn: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const first = await signedIn.newPage()
  await first.goto(`${operatorUrl}/console/`)
  await first.getByLabel('Operator token').fill(token)
  await first.getByRole('button', { name: 'Sign in' }).click()
  await first.locator('#screen').waitFor()
  await first.close()

  return {
    operatorUrl,
    async open(path, script = '') {
      const page = await signedIn.newPage()
      await page.addInitScript({ content: script })
      await page.goto(`${operatorUrl}/console${path}`)
      return page
    },
    call: (method, path, body) =>
      fetch(`${operatorUrl}/admin/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'If-Match': '*' },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}
