import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AXE } from '../../../tools/axe.ts'
import type { Page } from '../../../tools/playwright.ts'
import type { Cleanup } from '../cleanup.ts'
import type { OperatorService } from '../operator.ts'
import { buildVisit, type VisitOptions } from './visit.ts'

// The console must be built before a service can serve it.
execFileSync(process.execPath, [fileURLToPath(new URL('../../../console/build.ts', import.meta.url))])

export interface ConsoleOptions extends VisitOptions {
  token?: string
  /** Allowed complaints of the browser, such as about a refusal that the test provokes. */
  mayComplain?: RegExp
}

/**
 * Opens screens of the console as an operator who is signed in. A test fails if its page complains: about the Content-Security-Policy, an
 * error in a script, or a failed request.
 */
export function buildConsoleVisit({ after }: Cleanup) {
  const visit = buildVisit({ after })
  return async (t: TestContext, service: OperatorService, path = '/', options: ConsoleOptions = {}): Promise<Page> => {
    const { token = service.admin.token, mayComplain, ...browser } = options
    const opened = await visit(t, `${service.operatorUrl}/console${path}`, { bypassCSP: false, ...browser })
    const { page, complaints } = opened
    t.after(() =>
      assert.deepEqual(
        complaints.filter(one => !(mayComplain?.test(one) || SERVICE_ENDED.test(one))),
        [],
      ),
    )
    // Too many sessions end the oldest, and no two may be equally old.
    service.clock.advance(1)
    await page.getByLabel('Operator token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    // Not by its role: a dialog that the address opens hides the screen from those.
    await page.locator('main#screen h1').waitFor()
    await untilLoaded(page)
    return page
  }
}

/** Until its code is loaded, a screen has only its title, and no keys. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator('.screen[aria-busy="true"]').waitFor({ state: 'detached' })
}

/** A service that a test has started ends before its pages, which listen to its events. */
const SERVICE_ENDED =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/

/** For a page to evaluate: the rules that it breaks, each with the first elements that do. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`

/** Withholds events from a page, so that it only sees others' changes when it polls. Call this before any change. */
export async function withholdEvents(page: Page): Promise<void> {
  await page.route('**/admin/v1/events', () => {})
  // It listens again whenever it becomes visible.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
}

/**
 * Advances the clock of a page beyond any retry, and waits until it has sent its requests. The clock must be installed first with
 * `page.clock.install()`.
 */
export async function passTime(page: Page): Promise<void> {
  await page.clock.fastForward(10_000)
  await untilAsked(page)
}

/** Waits until a page has sent its pending requests: requests are reported in order. */
export async function untilAsked(page: Page): Promise<void> {
  await page.evaluate(`fetch('?').then(response => response.text())`)
}

/** For a page to evaluate: waits until all animations end. An element that fades in has too little contrast. */
const STILL = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`

/** Asserts that axe finds nothing on the page in both themes. The script is injected from outside the page's own policy. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(STILL)
    assert.deepEqual(await page.evaluate(VIOLATIONS), [], `${what}, ${colorScheme}`)
  }
}

/** Asserts that nothing is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'wider than the window')
}
