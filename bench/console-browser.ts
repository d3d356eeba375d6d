import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM, CHROMIUM_ARGS } from '../test/support/servers/browser.ts'
import { type Browser, type BrowserContext, chromium, type Page } from '../tools/playwright.ts'
import { LOAD_CORE, onCore } from './cores.ts'
import { emptyFolder } from './stock.ts'

/** Chromium with the console of a service, on a different core from the service. */
export interface ConsoleBrowser extends AsyncDisposable {
  operatorUrl: string
  /** Opens a screen in a new window, signed in. */
  open(path: string, script?: string): Promise<Page>
  /** Calls the admin API as the operator. */
  call(method: string, path: string, body?: unknown): Promise<Response>
}

export async function openBrowser(operatorUrl: string, token: string): Promise<ConsoleBrowser> {
  using folder = emptyFolder()
  const browser: Browser = await chromium.launch({ executablePath: writeLauncher(folder.path), args: CHROMIUM_ARGS })
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

/** Operators use their own computers. Here, their browser gets what the load generator leaves of its core. */
function writeLauncher(folder: string): string {
  const launcher = join(folder, 'chromium')
  writeFileSync(launcher, `#!/bin/sh\nexec ${onCore(LOAD_CORE, ['nice', '-n', '19', CHROMIUM]).join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  return launcher
}
