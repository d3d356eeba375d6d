import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GUIDES, OPERATOR_GUIDES } from '../site/guides/guides.ts'
import { AXE } from '../tools/axe.ts'
import type { Page } from '../tools/playwright.ts'
import { startOperatorService } from './support/operator.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { buildVisit } from './support/servers/visit.ts'

// axe finds nothing on any page of both listeners, on a phone and on a desktop, in light and in dark, with everything opened.

// The console has its own tests; without it, a page says how to build it.
const service = await startOperatorService({ after }, { consoleFolder: new URL('file:///nonexistent/') })
const visit = buildVisit({ after })

const PAGES = [
  ...['/', '/nothing', '/docs', '/docs/guides', '/clients/', ...GUIDES.map(name => `/docs/guides/${name}`)].map(
    path => service.url + path,
  ),
  ...[
    ...['/', '/nothing', '/docs', '/docs/guides', '/console'],
    ...OPERATOR_GUIDES.map(name => `/docs/guides/${name}`),
  ].map(path => service.operatorUrl + path),
]

/** For a page to evaluate: the rules that it breaks, each with the first elements that do. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' | ')))`

for (const width of [390, 1440]) {
  test(`axe finds nothing on any page ${width} wide`, { ...IN_BROWSER, timeout: 300_000 }, async t => {
    // The policy of the pages allows no other scripts.
    const { page } = await visit(t, 'about:blank', { viewport: { width, height: 844 }, bypassCSP: true })
    for (const url of PAGES) {
      await page.goto(url)
      await page.addScriptTag({ content: AXE })
      await openEverything(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await page.evaluate(VIOLATIONS), [], `${url} in ${colorScheme}, with everything open`)
      }
    }
  })
}

test('axe finds nothing in the search', IN_BROWSER, async t => {
  const { page } = await visit(t, service.url, { bypassCSP: true })
  await page.addScriptTag({ content: AXE })
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('limit')
  await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await page.evaluate(VIOLATIONS), [], colorScheme)
  }
})

function openEverything(page: Page): Promise<void> {
  return page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
}
