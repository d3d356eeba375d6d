import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '../tools/playwright.ts'
import type { ConsoleBrowser } from './console-browser.ts'
import { type Extent, type Figure, figure } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import type { Program } from './program.ts'
import { NEW_ANIMAL } from './record.ts'

const CONSOLES = 3
const LIMITS = { plan: 'enterprise', perMinute: 1_000_000_000, perDay: 1_000_000_000 }

const STATES = ['alone', 'open', 'busy'] as const
type State = (typeof STATES)[number]

/** How much the median latency may grow. */
const MAX_DELAY = 1.1
/** The largest share of a core that the consoles may take; the rest is left for the public API. */
const MAX_SHARE: Readonly<Record<State, number>> = { alone: 0.02, open: 0.05, busy: 0.2 }

/**
 * Measures how the console affects the public API: without a console, with three open, and with three in busy use, alternately. The browser
 * shares a core with the load generator, so a maximum call rate would measure those two. Instead, one connection calls sequentially, and the
 * CPU time that the service spends on the consoles is measured without other calls.
 */
export async function measurePublicApi(
  program: Program,
  browser: ConsoleBrowser,
  { rounds, seconds }: Extent,
): Promise<Figure[]> {
  const common = { url: program.url, key: await issueKey(browser), connections: 1, seconds }
  const orders: Readonly<Record<string, Order>> = {
    read: { ...common, paths: ['/v1/pets', '/v1/pets/500000', '/v1/pets/4711'] },
    creation: { ...common, paths: ['/v1/pets'], body: NEW_ANIMAL },
  }
  for (const order of Object.values(orders)) await load(order)
  const shares = { alone: [], open: [], busy: [] } as Record<State, number[]>
  const loads: Record<string, Load[]> = {}
  for (let round = 0; round < rounds; round += 1) {
    for (const state of STATES) {
      await using _consoles = await useConsoles(browser, state)
      shares[state].push(await shareOfCore(program, seconds))
      for (const [name, order] of Object.entries(orders)) {
        const key = `${name} ${state}`
        loads[key] ??= []
        loads[key].push(await load(order))
      }
    }
  }
  return [
    ...STATES.map(state =>
      figure(`time of the service, consoles ${state}`, 'of a core', shares[state], { atMost: MAX_SHARE[state] }),
    ),
    ...Object.keys(orders).flatMap(name => compare(name, loads)),
  ]
}

async function shareOfCore(program: Program, seconds: number): Promise<number> {
  const before = program.cpuSeconds()
  await sleep(seconds * 1_000)
  return (program.cpuSeconds() - before) / seconds
}

function compare(name: string, loads: Record<string, Load[]>): Figure[] {
  const of = (state: State) => loads[`${name} ${state}`] ?? []
  const p50 = (state: State) => of(state).map(({ p50Ms }) => p50Ms)
  const p99 = (state: State) => of(state).map(({ p99Ms }) => p99Ms)
  const ratio = (state: State) => {
    const ratios = p50(state).map((ms, round) => ms / (p50('alone')[round] as number))
    return figure(`${name}, consoles ${state} ÷ alone: p50`, '', ratios, { atMost: MAX_DELAY })
  }
  return [
    ...STATES.flatMap(state => [
      figure(`${name}, consoles ${state}: p50`, 'ms', p50(state)),
      figure(`${name}, consoles ${state}: p99`, 'ms', p99(state)),
    ]),
    ratio('open'),
    ratio('busy'),
  ]
}

async function issueKey(browser: ConsoleBrowser): Promise<string> {
  const account = await browser.call('POST', '/accounts', { name: 'Load', ...LIMITS })
  const { id } = (await account.json()) as { id: number }
  const key = await browser.call('POST', `/accounts/${id}/keys`, { name: 'Load' })
  return ((await key.json()) as { key: string }).key
}

/** Keeps the consoles in the given state until disposed. */
async function useConsoles(browser: ConsoleBrowser, state: State): Promise<AsyncDisposable> {
  const screens = state === 'alone' ? [] : ['/animals', '/usage', '/'].slice(0, CONSOLES)
  const pages = await Promise.all(screens.map(path => browser.open(path)))
  let isOver = false
  const uses = state === 'busy' ? pages.map((page, index) => useUntil(() => isOver, page, USES[index] as Use)) : []
  await sleep(1_000)
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(uses)
      await Promise.all(pages.map(page => page.close()))
    },
  }
}

type Use = (page: Page, turn: number) => Promise<void>

/** How long an operator looks at the result of each use. */
const LOOK_MS = 2_000

/** What three operators do repeatedly: one searches, one looks at usage, one imports a file. */
const USES: readonly Use[] = [
  async (page, turn) => {
    await page.getByRole('searchbox').fill('')
    await page.getByRole('searchbox').pressSequentially(`brave ${turn}`, { delay: 90 })
  },
  async (page, turn) => {
    const by = ['account', 'operation', 'key', 'status'][turn % 4]
    await page.goto(page.url().replace(/\/usage.*/, `/usage?by=${by}`))
    await page.locator('canvas').first().waitFor()
  },
  async page => {
    await page.goto(page.url().replace(/\/console\/.*/, '/console/import'))
    const lines = Array.from({ length: 2_000 }, (_, line) => `Imported ${line},${line % 9}`)
    const buffer = Buffer.from(`name,category\n${lines.join('\n')}\n`)
    await page.getByLabel('File to import').setInputFiles({ name: 'new.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 2,000 animals' }).click()
    await page.getByText('2,000 animals were added.').waitFor()
  },
]

async function useUntil(isOver: () => boolean, page: Page, use: Use): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await use(page, turn)
    await sleep(LOOK_MS)
  }
}
