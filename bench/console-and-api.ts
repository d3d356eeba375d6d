import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '../tools/playwright.ts'
import type { ConsoleBrowser } from './console-browser.ts'
import { type Extent, type Figure, figure } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import type { Program } from './program.ts'
import { NEW_ANIMAL } from './record.ts'

const CONSOLES = 3
const LIMITS = { plan: 'enterprise', perMinute: 1_000_000_000, perDay: 1_000_000_000 }

type State = 'alone' | 'open' | 'busy'

/** Reads and creations of the public API without consoles, beside three open ones, and beside three in busy use, in turns. */
export async function measurePublicApi(
  { url }: Program,
  browser: ConsoleBrowser,
  { rounds, seconds }: Extent,
): Promise<Figure[]> {
  const common = { url, key: await issueKey(browser), seconds }
  const orders: Readonly<Record<string, Order>> = {
    reads: { ...common, paths: ['/v1/pets', '/v1/pets/500000', '/v1/pets/4711'], connections: 16 },
    creations: { ...common, paths: ['/v1/pets'], body: NEW_ANIMAL, connections: 16 },
  }
  for (const order of Object.values(orders)) await load(order)
  const samples: Record<string, Load[]> = {}
  for (let round = 0; round < rounds; round += 1) {
    for (const state of ['alone', 'open', 'busy'] as const) {
      await using _consoles = await useConsoles(browser, state)
      for (const [name, order] of Object.entries(orders)) {
        const key = `${name} ${state}`
        samples[key] ??= []
        samples[key].push(await load(order))
      }
    }
  }
  return Object.keys(orders).flatMap(name => compare(name, samples))
}

function compare(name: string, samples: Record<string, Load[]>): Figure[] {
  const of = (state: State) => samples[`${name} ${state}`] ?? []
  const rate = ({ calls, seconds }: Load) => calls / seconds
  const figures = (['alone', 'open', 'busy'] as const).flatMap(state => [
    figure(`${name}, consoles ${state}`, 'calls/s', of(state).map(rate)),
    figure(
      `${name}, consoles ${state}: p50`,
      'ms',
      of(state).map(({ p50Ms }) => p50Ms),
    ),
    figure(
      `${name}, consoles ${state}: p99`,
      'ms',
      of(state).map(({ p99Ms }) => p99Ms),
    ),
  ])
  const ratio = (state: State, atLeast: number) => {
    const ratios = of(state).map((one, round) => rate(one) / rate(of('alone')[round] as Load))
    return figure(`${name}, consoles ${state} ÷ alone`, '', ratios, { atLeast })
  }
  return [...figures, ratio('open', 0.95), ratio('busy', 0.8)]
}

async function issueKey(browser: ConsoleBrowser): Promise<string> {
  const account = await browser.call('POST', '/accounts', { name: 'Load', ...LIMITS })
  const { id } = (await account.json()) as { id: number }
  const key = await browser.call('POST', `/accounts/${id}/keys`, { name: 'Load' })
  return ((await key.json()) as { key: string }).key
}

/** Consoles as the state says, until they are disposed of. */
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

/** What three operators do, over and over: one searches, one looks at usage, one imports a file. */
const USES: readonly Use[] = [
  async (page, turn) => {
    await page.getByRole('searchbox').fill('')
    await page.getByRole('searchbox').pressSequentially(`brave ${turn}`, { delay: 90 })
    await sleep(500)
  },
  async (page, turn) => {
    const by = ['account', 'operation', 'key', 'status'][turn % 4]
    await page.goto(page.url().replace(/\/usage.*/, `/usage?by=${by}`))
    await page.locator('canvas').first().waitFor()
    await sleep(500)
  },
  async page => {
    await page.goto(page.url().replace(/\/console\/.*/, '/console/import'))
    const lines = Array.from({ length: 2_000 }, (_, line) => `Imported ${line},${line % 9}`)
    const buffer = Buffer.from(`name,category\n${lines.join('\n')}\n`)
    await page.getByLabel('File to import').setInputFiles({ name: 'new.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Check the file' }).click()
    await page.getByRole('button', { name: 'Import 2,000 animals' }).click()
    await page.getByText('2,000 animals were added.').waitFor()
    await sleep(500)
  },
]

async function useUntil(isOver: () => boolean, page: Page, use: Use): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) await use(page, turn)
}
