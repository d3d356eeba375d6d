import { parseArgs } from 'node:util'
import { createBusyStore, type Size } from './busy-store.ts'
import { formatNumber, markdownTable } from './figure.ts'
import { startPetstore } from './program.ts'
import { SCREENS } from './screen-calls.ts'

/**
 * Measures the calls that each screen of the console makes, on the store of a large shop: `node bench/screens.ts`. The results are in
 * docs/admin-api-by-screen.md.
 */

const SIZE: Size = {
  animals: 1_000_000,
  accounts: 10_000,
  keys: 100_000,
  busyKeys: 5_000,
  auditEntries: 100_000,
  bans: 2_000,
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const rounds = Number(values.rounds)

using store = await createBusyStore(SIZE, Date.now())
const operatorPort = 20_000 + (process.pid % 20_000)
await using program = await startPetstore(store, { PETSTORE_OPERATOR_PORT: String(operatorPort) })
console.log(`Started in ${formatNumber(program.startMs)} ms; ${rounds} rounds, one call at a time.\n`)

const rows: string[][] = []
for (const [screen, calls] of Object.entries(SCREENS)) {
  for (const { why, path } of calls) {
    const times: number[] = []
    let bytes = 0
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      bytes = await get(`http://127.0.0.1:${operatorPort}/admin/v1${path}`)
      times.push(performance.now() - startedAt)
    }
    times.sort((one, other) => one - other)
    const [median, max] = [times[Math.floor(rounds / 2)], times.at(-1)] as [number, number]
    rows.push([screen, why, `\`GET ${path}\``, formatNumber(median), formatNumber(max), formatNumber(bytes / 1_000)])
  }
}
console.log(markdownTable(['screen', 'to show', 'call', 'median ms', 'max ms', 'KB'], rows, [3, 4, 5]))

/** Returns the size of the response. */
async function get(url: string): Promise<number> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${store.adminToken}` } })
  const body = await response.arrayBuffer()
  if (!response.ok) throw new Error(`${response.status} for ${url}: ${Buffer.from(body)}`)
  return body.byteLength
}
