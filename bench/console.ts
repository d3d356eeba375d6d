import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { buildConsole } from '../console/build.ts'
import { createBusyStore, type Size } from './busy-store.ts'
import { measurePublicApi } from './console-and-api.ts'
import { openBrowser } from './console-browser.ts'
import { measureScreens } from './console-screens.ts'
import { type Extent, type Figure, formatTable, isMet } from './figure.ts'
import { startPetstore } from './program.ts'

/**
 * Measures the console in Chromium, on a store with 1,000,000 animals, and its effect on the public API:
 * `node bench/console.ts [screens|api …] [--rounds 5] [--seconds 5] [--minutes 10]`. Exits with 1 if a target is missed.
 */

const SIZE: Size = {
  animals: 1_000_000,
  accounts: 1_000,
  keys: 5_000,
  busyKeys: 300,
  auditEntries: 10_000,
  bans: 200,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '10' },
  },
})
const extent: Extent = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)

await buildConsole()
using store = await createBusyStore(SIZE, Date.now())
const operatorPort = 20_000 + (process.pid % 20_000)
await using program = await startPetstore(store, { PETSTORE_OPERATOR_PORT: String(operatorPort) })
await using browser = await openBrowser(`http://127.0.0.1:${operatorPort}`, store.adminToken)

const figures: Figure[] = []
if (isWanted('screens')) await report(() => measureScreens(browser, Number(values.minutes)))
if (isWanted('api')) await report(() => measurePublicApi(program, browser, extent))
if (!figures.every(isMet)) process.exitCode = 1

async function report(measure: () => Promise<Figure[]>): Promise<void> {
  const measured = await measure()
  figures.push(...measured)
  console.log(`${formatTable(measured)}\n\nLoad average: ${loadavg()[0]?.toFixed(1)}\n`)
}
