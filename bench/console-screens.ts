import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '../tools/playwright.ts'
import type { ConsoleBrowser } from './console-browser.ts'
import { type Figure, figure } from './figure.ts'

const MAX_TASK_MS = 100
const MAX_FIRST_ROWS_MS = 2_000
/** How much the heap may grow while the same rows are reloaded repeatedly. */
const MAX_GROWTH = 1.25

/** Collects tasks that block the page; the browser reports those of 50 ms and more. */
const WATCH_TASKS = `
  window.longTasks = []
  new PerformanceObserver(list => longTasks.push(...list.getEntries().map(one => one.duration)))
    .observe({ type: 'longtask', buffered: true })
`

/** How many times faster time passes in the page while events are simulated. */
const SPEED = 10
/** The service looks for changes twice a second, and sends at most one event each time. */
const EVENT_EVERY_MS = 500

/** How much longer than planned the simulation may take. */
const MAX_DELAY = 10

/**
 * Speeds up time in the page, and replaces its event stream with one that reports a change every time. The timeouts of calls do not
 * change, because the service does not become faster.
 */
const SIMULATE = `
  const [later, now, start] = [window.setTimeout, Date.now, Date.now()]
  window.setTimeout = (callback, ms = 0, ...more) => later(callback, ms / ${SPEED}, ...more)
  Date.now = () => start + (now() - start) * ${SPEED}
  window.simulated = 0
  window.isSimulating = false
  window.streams = 0
  window.EventSource = class extends EventTarget {
    readyState = 1
    timer = setInterval(() => {
      if (isSimulating) simulated += 1
      const text = String(simulated)
      const data = JSON.stringify({ animals: text, accounts: text, audit: text })
      this.dispatchEvent(new MessageEvent('versions', { data }))
    }, ${EVENT_EVERY_MS / SPEED})
    constructor() {
      super()
      streams += 1
    }
    close() {
      clearInterval(this.timer)
      streams -= 1
    }
  }
`

/** Measures how the animals screen reacts with a million animals, and whether the memory of an open page stays stable. */
export async function measureScreens(browser: ConsoleBrowser, minutes: number): Promise<Figure[]> {
  const firstRows: number[] = []
  for (let visit = 0; visit < 5; visit += 1) {
    const page = await browser.open('/animals')
    await rows(page).first().waitFor()
    firstRows.push((await page.evaluate('performance.now()')) as number)
    await page.close()
  }
  const page = await browser.open('/animals', WATCH_TASKS)
  await rows(page).first().waitFor()
  const tasks = [await tasksOf(page, 'opening')]
  for (const [name, use] of Object.entries(USES)) {
    await use(page)
    tasks.push(await tasksOf(page, name))
  }
  await page.close()
  return [
    figure('animals: from the address to the first rows', 'ms', firstRows, { atMost: MAX_FIRST_ROWS_MS }),
    ...tasks,
    ...(await measureEvents(browser, minutes)),
  ]
}

/** The number of the last rendered row. */
const LAST_ROW = `Math.max(...[...document.querySelectorAll('tr[data-index]')].map(row => Number(row.dataset.index)))`

const rows = (page: Page) => page.locator('tr[data-index]')

/** What is done on the screen, in order. */
const USES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async 'scrolling through 10,000 rows'(page) {
    await page.locator('.table-scroller').hover()
    while (((await page.evaluate(LAST_ROW)) as number) < 10_000) {
      await page.mouse.wheel(0, 1_100)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
    for (let step = 0; step < 30; step += 1) await page.mouse.wheel(0, step % 2 === 0 ? -200_000 : 100_000)
    await page.mouse.wheel(0, -1_000_000)
    await page.locator('tr[data-index="0"]').waitFor()
  },
  async 'searching while typing'(page) {
    for (const text of ['brave 4711', 'émile', 'unicorn', 'Łatka of Kraków', '#500000']) {
      await page.getByRole('searchbox').fill('')
      await page.getByRole('searchbox').pressSequentially(text, { delay: 90 })
      await settled(page, 'q=')
    }
    await page.getByRole('searchbox').fill('')
    await settled(page)
  },
  async 'filtering and sorting'(page) {
    for (const status of ['Available', 'Pending', 'Sold', 'All']) {
      await page.getByRole('button', { name: new RegExp(`^${status} [0-9]`) }).click()
      await settled(page)
    }
    for (const value of ['7', '39', '']) {
      await page.getByLabel('Category').selectOption(value)
      await settled(page)
    }
    for (const value of ['oldest', '']) {
      await page.getByLabel('Order').selectOption(value)
      await settled(page)
    }
  },
  async 'opening twenty drawers'(page) {
    await rows(page).first().waitFor()
    for (let row = 0; row < 20; row += 1) {
      await page.locator(`tr[data-index="${row}"]`).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByLabel('Status').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  },
  async 'selecting and correcting'(page) {
    await page.getByLabel('Select all rows').check()
    await page.getByLabel('Select all rows').uncheck()
    for (let row = 0; row < 10; row += 1) {
      await page.locator(`tr[data-index="${row}"]`).focus()
      await page.keyboard.press('e')
      await page.getByRole('textbox', { name: /^Name of/ }).fill(`Corrected ${row}`)
      await page.keyboard.press('Enter')
      await page.getByText(`Corrected ${row}`, { exact: true }).waitFor()
    }
  },
}

/** Waits until the list matches the address. */
async function settled(page: Page, address = ''): Promise<void> {
  await page.waitForURL(url => url.search.includes(address))
  await page.locator('.table-scroller[aria-busy="false"]').waitFor()
}

async function tasksOf(page: Page, what: string): Promise<Figure> {
  // A task is reported after it ends. A page without activity may never get an idle callback.
  await page.evaluate('new Promise(resolve => requestIdleCallback(() => setTimeout(resolve, 100), { timeout: 2_000 }))')
  const tasks = (await page.evaluate('longTasks.splice(0)')) as number[]
  const name = `animals: ${what}, longest of ${tasks.length} long tasks`
  return figure(name, 'ms', [Math.max(0, ...tasks)], { atMost: MAX_TASK_MS })
}

/** Fails if the events do not arrive, for example because the page has lost its connection and no longer listens. */
async function untilSimulated(page: Page, events: number): Promise<void> {
  const maxMs = 10_000 + events * (EVENT_EVERY_MS / SPEED) * MAX_DELAY
  const end = performance.now() + maxMs
  for (;;) {
    const [simulated, streams] = (await page.evaluate('[simulated, streams]')) as [number, number]
    if (simulated >= events) return
    if (performance.now() > end) {
      const banner = await page.locator('.banner').allInnerTexts()
      const state = `${simulated} of ${events} events, ${streams} open streams, banner "${banner.join('').trim()}"`
      throw new Error(`The simulated events did not arrive within ${maxMs / 1_000} s: ${state}`)
    }
    await sleep(100)
  }
}

/** Measures the memory of a page during minutes of changes by others, two per second. */
async function measureEvents(browser: ConsoleBrowser, minutes: number): Promise<Figure[]> {
  const page = await browser.open('/animals', WATCH_TASKS + SIMULATE)
  await rows(page).first().waitFor()
  await page.evaluate('isSimulating = true')
  const session = await page.context().newCDPSession(page)
  const events = minutes * 60 * (1_000 / EVENT_EVERY_MS)
  const sizes: number[] = []
  // The first tenth fills the caches.
  for (let part = 1; part <= 10; part += 1) {
    await untilSimulated(page, (events / 10) * part)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    sizes.push(usedSize / 1_000_000)
  }
  const tasks = await tasksOf(page, `${events} events, as in ${minutes} minutes`)
  await page.close()
  const growth = (sizes.at(-1) as number) / (sizes[0] as number)
  return [
    tasks,
    figure(`memory through ${events} events`, 'MB', sizes),
    figure('the same, at the end ÷ after a tenth', '', [growth], { atMost: MAX_GROWTH }),
  ]
}
