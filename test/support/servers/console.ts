import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AXE } from '../../../tools/axe.ts'
import type { Page } from '../../../tools/playwright.ts'
import type { Cleanup } from '../cleanup.ts'
import type { OperatorService } from '../operator.ts'
import { buildVisit, type VisitOptions } from './visit.ts'

// What a service serves must have been built.
execFileSync(process.execPath, [fileURLToPath(new URL('../../../console/build.ts', import.meta.url))])

export interface ConsoleOptions extends VisitOptions {
  token?: string
  /** What the browser may complain about, such as a refusal that the test provokes. */
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
    await page.getByLabel('Operator token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('main').and(page.locator('#screen')).getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(TAKES_KEYS)
    return page
  }
}

/** For a page to evaluate: React runs what a screen does besides being shown, such as listening to keys, after it is painted. */
const TAKES_KEYS = 'new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))'

/** A service that a test has started ends before its pages, which listen to its events. */
const SERVICE_ENDED = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)/

/** For a page to evaluate: the rules that it breaks, each with the first elements that do. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`

/** Lets a page see what others change only when it asks by itself. To be called before anything is changed. */
export async function withholdEvents(page: Page): Promise<void> {
  await page.route('**/admin/v1/events', () => {})
  // It listens again whenever it becomes visible.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
}

/**
 * Lets more time pass on a page than any of its retries waits, and waits until it has asked for what it asks for then. Its clock must have been
 * installed before, by `page.clock.install()`.
 */
export async function passTime(page: Page): Promise<void> {
  await page.clock.fastForward(10_000)
  await untilAsked(page)
}

/** Waits until a page has asked for what it is about to ask for: requests are reported in their order. */
export async function untilAsked(page: Page): Promise<void> {
  await page.evaluate(`fetch('?').then(response => response.text())`)
}

/** For a page to evaluate: waits until nothing moves. What fades in has too little contrast. */
const STILL = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`

/** That axe finds nothing on a page as it is now, in both themes. The script is brought in from outside the page's own policy. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(STILL)
    assert.deepEqual(await page.evaluate(VIOLATIONS), [], `${what}, ${colorScheme}`)
  }
}

/** That nothing is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'wider than the window')
}
