import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GUIDES, OPERATOR_GUIDES } from '../site/guides/guides.ts'
import type { Page } from '../tools/playwright.ts'
import { call } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { IN_BROWSER } from './support/servers/browser.ts'
import { FAINT_TEXTS } from './support/servers/low-contrast-texts.ts'
import { buildVisit, untilTrue } from './support/servers/visit.ts'
import { startTestService } from './support/service.ts'

// The guides in a browser. The service's public address leads nowhere: a page that called it would fail.

const visit = buildVisit({ after })
const publicUrls = { production: 'https://animals.test/shop/v1', staging: 'https://try.animals.test/v1' }
const service = await startTestService({ after }, { config: { publicUrls } })
const PAGES = [
  ...['/docs/guides', ...GUIDES.map(name => `/docs/guides/${name}`)].map(path => service.url + path),
  ...['/docs/guides', ...OPERATOR_GUIDES.map(name => `/docs/guides/${name}`)].map(path => service.operatorUrl + path),
]

/** Adds a word of every kind that code.css has a colour for, whether or not a sample has one, to the page's first sample. */
const SHOW_ALL_CODE_COLOURS = `(() => {
  const sample = document.querySelector('.sample code')
  const rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
  for (const rule of rules) {
    for (const [, kind] of (rule.selectorText ?? '').matchAll(/\\.(hljs-\\w+)/g)) {
      const word = document.createElement('span')
      word.className = kind
      word.textContent = kind
      sample?.append(word)
    }
  }
})()`

/** For a page to evaluate: the text of every sample that is partly out of view. */
const CUT_OFF = `[...document.querySelectorAll('pre')]
  .filter(sample => sample.checkVisibility() && sample.scrollWidth > sample.clientWidth)
  .map(sample => sample.textContent)`

/** For a page to evaluate: other elements that are wider than their container. */
const SQUEEZED = `[...document.querySelectorAll('.table, .search-button, .bar')]
  .filter(element => element.scrollWidth > element.clientWidth)
  .map(element => element.outerHTML.slice(0, 100))`

/** For a page to evaluate: the lines drawn around an element and in it. */
const linesOf = (selector: string) => `(() => {
  const style = getComputedStyle(document.querySelector('${selector}'))
  return [style.borderWidth, style.outlineStyle, style.textDecorationLine].join()
})()`

/** For a page to run first: holds every fetch in `held` until the test lets it continue or fail. */
const HOLD_FETCHES = `{
  const fetch = window.fetch
  window.held = []
  window.fetch = (...request) => new Promise((resolve, reject) => {
    held.push({ go: () => resolve(fetch(...request)), fail: () => reject(new TypeError('Failed to fetch')) })
  })
}`

/** For a page to run first: removes from every fetched document what a search index must have. */
const EMPTY_THE_INDEX = `{
  const fetch = window.fetch
  window.fetch = async (...request) => {
    const { options, index } = await (await fetch(...request)).json()
    return Response.json({ options, index: { ...index, storedFields: {} } })
  }
}`

test('a reader searches all guides with only the keyboard', IN_BROWSER, async t => {
  const { page, requests, complaints } = await visit(t, `${service.url}/docs/guides`)
  await page.keyboard.press('/')
  const field = searchField(page)
  await field.fill('replay')
  await results(page).first().waitFor()
  await field.fill('zebra')
  await page.getByText('No results for “zebra”.').waitFor()
  await field.fill('rate_limit_exc')
  const found = results(page, { selected: true })
  await found.getByText('Errors › rate_limit_exceeded').waitFor()
  await field.press('ArrowDown')
  assert.equal(await results(page).nth(1).getAttribute('aria-selected'), 'true')
  assert.equal(await field.getAttribute('aria-activedescendant'), 'found-1')
  await field.press('ArrowUp')
  await field.press('Enter')

  await page.waitForURL(`${service.url}/docs/guides/errors#rate_limit_exceeded`)
  const heading = page.getByRole('heading', { name: 'rate_limit_exceeded' })
  const { y = -1 } = (await heading.boundingBox()) ?? {}
  assert.ok(y >= 56 && y < 200, `the heading stands below the bar, not at ${y}`)
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'hidden' })
  assert.deepEqual([...new Set(requests.map(url => new URL(url).origin))], [service.url])
  assert.deepEqual(complaints, [])
})

test('each further page costs one call, and its search none', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides`)
  await find(page, 'limit')
  const spent = async (read: () => Promise<unknown>) => {
    const before = await callsLeft()
    await read()
    return before - (await callsLeft()) - 1
  }
  assert.equal(await spent(() => page.goto(`${service.url}/docs/guides/limits`)), 1)
  assert.equal(await spent(() => page.reload()), 1)
  assert.equal(await spent(() => find(page, 'ban')), 0)
})

test('a search ranks the best section first, and finds punctuation', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, 'about:blank')
  // Two-year-old browsers lack this.
  await page.addInitScript('delete RegExp.escape')
  await page.goto(`${service.url}/docs/guides`)
  await find(page, 'ban')
  const chosen = results(page, { selected: true })
  await chosen.getByText('Limits › Bans').waitFor()
  for (const [words, guide] of [
    ['pagination', 'Pages'],
    ['throttling', 'Limits'],
    ['sandbox', 'Staging'],
  ] as const) {
    await searchField(page).fill(words)
    await chosen.getByText(guide, { exact: true }).waitFor()
  }
  await searchField(page).fill('+')
  await chosen.locator('mark', { hasText: /^\+$/ }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.deepEqual(complaints, [])
})

test('a search shows that it is running or has failed, and can be retried', IN_BROWSER, async t => {
  const { page } = await visit(t, 'about:blank')
  await page.addInitScript(HOLD_FETCHES)
  await page.goto(`${service.url}/docs/guides`)
  const note = page.getByRole('dialog').getByRole('status')
  /** Waits for the next fetch of the index, and lets it continue or fail. */
  const settle = (how: 'go' | 'fail') => eventually(() => page.evaluate(`held.shift().${how}()`))
  await page.keyboard.press('/')
  const field = searchField(page)
  await note.getByText('Search for a word').waitFor()
  await field.fill('limit')
  await note.getByText('Searching…').waitFor()
  await settle('fail')
  await note.getByText('The search failed. Please try again.').waitFor()
  await field.fill('limits')
  await note.getByText('Searching…').waitFor()
  await settle('go')
  await results(page).first().waitFor()
  assert.equal(await note.textContent(), '')
})

test('a broken index is a failed search', IN_BROWSER, async t => {
  const { page } = await visit(t, 'about:blank')
  await page.addInitScript(EMPTY_THE_INDEX)
  await page.goto(`${service.url}/docs/guides`)
  await page.keyboard.press('/')
  await searchField(page).fill('limit')
  await page.getByRole('dialog').getByRole('status').getByText('The search failed. Please try again.').waitFor()
})

test('the skip link leads past all menus', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides`, { viewport: { width: 360, height: 740 } })
  for (const path of ['/docs/guides', '/docs/guides/limits']) {
    await page.goto(service.url + path)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    const { y = -1 } = (await page.locator(':focus').boundingBox()) ?? {}
    assert.ok(y >= 0, `it is seen, not at ${y}`)
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.firstElementChild.tagName'), 'H1')
    await page.keyboard.press('Tab')
    assert.ok(await page.evaluate("document.activeElement.matches(':is(main.list, article) *')"))
  }
})

test('a reader chooses a language once, and finds it on every page', IN_BROWSER, async t => {
  const { page, complaints } = await visit(t, `${service.url}/docs/guides/quick-start`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const said = page.getByRole('status')
  const tabs = page.getByRole('tablist').first()
  const shown = () => page.getByRole('tab', { selected: true }).allInnerTexts()
  assert.ok((await shown()).every(label => label === 'TypeScript'))
  await tabs.getByRole('tab', { name: 'Python' }).click()
  for (const [key, label] of [
    ['End', 'curl'],
    ['ArrowRight', 'TypeScript'],
    ['ArrowRight', 'Python'],
    ['Home', 'TypeScript'],
    ['ArrowLeft', 'curl'],
    ['ArrowLeft', 'Python'],
  ] as const) {
    await page.keyboard.press(key)
    assert.ok(
      (await shown()).every(one => one === label),
      `${key} chooses ${label}`,
    )
  }
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Python')
  const panel = page.getByRole('tabpanel', { name: 'Python' }).first()
  await panel.waitFor()
  assert.equal(await page.getByRole('tabpanel', { name: 'curl' }).count(), 0)
  await page.locator('.samples').first().getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await said.getByText('Copied', { exact: true }).waitFor()
  const code = (await panel.innerText()).trim()
  assert.equal((await page.evaluate<string>('navigator.clipboard.readText()')).trim(), code)

  await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Idempotency' }).click()
  await page.getByRole('heading', { name: 'Idempotency', level: 1 }).waitFor()
  assert.ok((await shown()).length > 0)
  assert.ok((await shown()).every(label => label === 'Python'))
  assert.deepEqual(complaints, [])
})

test(
  'without permission to store or copy, the page says so, and the reader chooses a language on each page',
  IN_BROWSER,
  async t => {
    // Once any permission is granted, all others are denied.
    const { page, complaints } = await visit(t, 'about:blank', { permissions: ['geolocation'] })
    await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
  })`)
    await page.goto(`${service.url}/docs/guides/quick-start`)
    await page.getByRole('tab', { name: 'Python' }).first().click()
    await page.getByRole('tabpanel', { name: 'Python' }).first().waitFor()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Not copied' }).waitFor()
    await page.getByRole('status').getByText('Not copied', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Not copied' }).waitFor({ state: 'hidden' })
    assert.deepEqual(complaints, [])
  },
)

test("the table of contents links to the headings, and shows the reader's position", IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/limits`, { viewport: { width: 1400, height: 800 } })
  const contents = page.getByRole('navigation', { name: 'On this page' })
  await contents.getByRole('link', { name: 'Pacing' }).click()
  await contents.locator('[aria-current]', { hasText: 'Pacing' }).waitFor()
  assert.equal(new URL(page.url()).hash, '#pacing')
  await page.getByRole('heading', { name: 'Bans', exact: true, level: 2 }).hover()
  await page.getByRole('link', { name: 'Link to “Bans”', exact: true }).click()
  assert.equal(new URL(page.url()).hash, '#bans')
  await page.getByRole('link', { name: 'Next' }).click()
  await page.waitForURL(`${service.url}/docs/guides/${GUIDES[GUIDES.indexOf('limits') + 1]}`)
})

test('the table of contents shows the target of a link, anywhere on the page', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/errors`, { viewport: { width: 1280, height: 900 } })
  const hashes = await page
    .locator('.contents a')
    .evaluateAll(links => links.map(link => (link as unknown as { hash: string }).hash))
  assert.ok(hashes.length > 30)
  for (const hash of [...hashes, ...hashes.toReversed()]) {
    await page.evaluate(`location.hash = '${hash}'`)
    await page.locator(`.contents a[href="${hash}"][aria-current]`).waitFor()
  }
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator(`.contents a[href="${hashes.at(-1)}"][aria-current]`).waitFor()
  assert.equal(await page.locator('.contents [aria-current]').count(), 1)
})

test('without JavaScript every sample is shown, and nothing that needs it', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/quick-start`, { javaScriptEnabled: false })
  const samples = page.locator('.sample')
  const visible = await Promise.all((await samples.all()).map(sample => sample.isVisible()))
  assert.ok(visible.length > 3 && visible.every(Boolean))
  for (const label of ['curl', 'TypeScript', 'Python']) await page.getByText(label, { exact: true }).first().waitFor()
  assert.equal(await page.getByRole('button').count(), 0)
})

test('a printed page has only the text, dark on light, and no code is cut off', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs`, { colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print' })
  for (const path of ['/docs', '/docs/guides/quick-start']) {
    await page.goto(service.url + path)
    for (const name of ['banner', 'navigation', 'button'] as const)
      assert.equal(await page.getByRole(name).count(), 0, `${name} of ${path}`)
  }
  assert.equal(await page.getByRole('link', { name: /^(?:Skip|Link to|Next)/ }).count(), 0)
  assert.ok(await page.getByRole('heading', { level: 1 }).isVisible())
  assert.equal(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'), 'rgb(255, 255, 255)')
  await page.setViewportSize({ width: 500, height: 700 })
  assert.deepEqual(await page.evaluate(CUT_OFF), [])
})

test('with forced colours, the selection is marked by more than its colour', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.url}/docs/guides/limits`, {
    viewport: { width: 1400, height: 800 },
    forcedColors: 'active',
  })
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Pacing' }).click()
  await page.locator('.contents [aria-current]', { hasText: 'Pacing' }).waitFor()
  await find(page, 'limit')
  for (const [chosen, all] of [
    ['.menu [aria-current]', '.menu a'],
    ['.contents [aria-current]', '.contents a'],
    ['.bar nav [aria-current]', '.bar nav a'],
    ['.search [aria-selected=true]', '.search [role=option]'],
    ['[role=tab][aria-selected=true]', '[role=tab]'],
  ] as const) {
    const other = `${all}:not(${chosen})`
    assert.notEqual(await page.evaluate(linesOf(chosen)), await page.evaluate(linesOf(other)), chosen)
  }
})

test('on a wide screen no line of code of 84 characters is cut off', IN_BROWSER, async t => {
  const { page } = await visit(t, 'about:blank', { viewport: { width: 1280, height: 800 } })
  for (const url of PAGES) {
    await page.goto(url)
    const cutOff = (await page.evaluate<string[]>(CUT_OFF)).filter(code => longestLine(code) <= 84)
    assert.deepEqual(cutOff, [], url)
  }
})

test('pictures match the colours of the page, from the system or chosen', IN_BROWSER, async t => {
  const { page, requests, complaints } = await visit(t, 'about:blank', { colorScheme: 'dark' })
  await page.goto(`${service.operatorUrl}/docs/guides/${OPERATOR_GUIDES[0]}`)
  const visible = () =>
    page
      .locator('.picture')
      .evaluateAll(images => images.filter(image => image.checkVisibility()).map(image => image.className))
  assert.ok((await visible()).length > 0)
  assert.ok((await visible()).every(name => name === 'picture on-dark'))
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('light')
  assert.ok((await visible()).every(name => name === 'picture on-light'))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('dark')
  assert.ok((await visible()).every(name => name === 'picture on-dark'))
  const image = page.locator('.picture.on-dark').first()
  await image.scrollIntoViewIfNeeded()
  await image.and(page.locator('[alt*="history"]')).waitFor()
  const isLoaded =
    '[...document.images].some(image => image.complete && image.naturalWidth > 0 && image.matches(".on-dark"))'
  await untilTrue(page, isLoaded)
  assert.ok(requests.some(url => url.includes('/docs/animals-dark.webp?')))
  assert.deepEqual(complaints, [])
})

test('an operator finds a guide by the search', IN_BROWSER, async t => {
  const { page } = await visit(t, `${service.operatorUrl}/`)
  await find(page, 'spreadsheet')
  await results(page, { selected: true }).getByText('Care for animals › Import a spreadsheet').click()
  await page.waitForURL(`${service.operatorUrl}/docs/guides/care-for-animals#import-a-spreadsheet`)
})

for (const width of [320, 360]) {
  test(
    `on a phone ${width} wide nothing sticks out, and every text is readable in light and in dark`,
    IN_BROWSER,
    async t => {
      const { page, complaints } = await visit(t, `${service.url}/docs/guides`, {
        viewport: { width, height: 740 },
        isMobile: true,
      })
      for (const url of PAGES) {
        await page.goto(url)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, url)
        assert.deepEqual(await page.evaluate(SQUEEZED), [], url)
        if (url.endsWith('/docs/guides')) {
          await page.getByRole('button', { name: 'Search' }).click()
          await searchField(page).fill('limit')
          await results(page).first().waitFor()
        }
        await page.evaluate(SHOW_ALL_CODE_COLOURS)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const [behind] =
            (await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')).match(/\d+/) ??
            []
          assert.equal(Number(behind) > 128, colorScheme === 'light')
          assert.deepEqual(await page.evaluate(FAINT_TEXTS), [], `${url} in ${colorScheme}`)
        }
      }
      assert.deepEqual(complaints, [])
    },
  )
}

function results(page: Page, which?: { selected: boolean }) {
  return page.getByRole('listbox', { name: 'Results' }).getByRole('option', which)
}

function searchField(page: Page) {
  return page.getByRole('combobox', { name: 'Search' })
}

/** Opens the search, and waits for its results. */
async function find(page: Page, words: string): Promise<void> {
  await page.keyboard.press('/')
  await searchField(page).fill(words)
  await results(page).first().waitFor()
}

/** How many calls this machine may still make without a key; checking costs one. */
async function callsLeft(): Promise<number> {
  return Number((await call(service, { path: '/docs/guides' })).header('x-ratelimit-remaining'))
}

function longestLine(code: string): number {
  return Math.max(...code.split('\n').map(line => line.length))
}
