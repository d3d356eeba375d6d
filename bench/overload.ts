import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { figure, formatNumber, markdownTable } from './figure.ts'
import { type Calls, runGenerator, sample, writeOrderFile } from './load.ts'
import type { PhaseResult } from './open-loop.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { coldPages, emptyFolder, stock } from './stock.ts'

/**
 * Measures what happens when more calls arrive than can be answered: `node bench/overload.ts`, about two minutes. `--times` sets the excess, and
 * `--connections` how many calls can wait for their answers. README.md explains the columns.
 */
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    connections: { type: 'string', default: '4000' },
    seconds: { type: 'string', default: '10' },
  },
})
const TIMES = Number(values.times)
const ANIMALS = 100_000
const CAPACITY_CONNECTIONS = 64
/** The load after the overload. */
const CALM = { share: 0.5, seconds: 3 }
/** Time for the service to recover, even on a busy machine. */
const REST_MS = 2_000

using animals = await stock(ANIMALS)
const { key } = animals
await using service = await startPetstore(animals)
const WORK: Record<string, Pick<Calls, 'paths' | 'body'>> = {
  'cold pages of 100': { paths: coldPages(animals, ANIMALS, 100) },
  'cold pages of 20': { paths: coldPages(animals, ANIMALS, 20) },
  'a cached page': { paths: ['/v1/pets'] },
  creations: { paths: ['/v1/pets'], body: NEW_ANIMAL },
}

const rows: string[][] = []
for (const [name, work] of Object.entries(WORK)) {
  const calls = { key, ...work }
  const order = { ...calls, connections: CAPACITY_CONNECTIONS }
  await sample(service, { ...order, seconds: 2 })
  const { callsPerSecond: capacity } = await sample(service, { ...order, seconds: 3 })
  const loaded = openLoop(calls, [
    { rate: TIMES * capacity, seconds: Number(values.seconds) },
    { rate: CALM.share * capacity, seconds: CALM.seconds },
  ])
  const waits = await firstAnswersDuring(loaded)
  const [over, calm] = (await loaded) as [PhaseResult, PhaseResult]
  await sleep(REST_MS)
  const { seconds, offered, unsent, admitted, refused } = over
  const first = figure('first answers', 'ms', waits)
  const figures = [
    ...[capacity, (offered - unsent) / seconds, admitted.calls / seconds, refused.calls / seconds],
    ...[admitted.p50Ms, admitted.p99Ms, refused.p50Ms, calm.lastRefusedMs, first.median, first.max],
  ]
  rows.push([name, ...figures.map(one => formatNumber(one ?? Number.NaN))])
}
const HEAD = [
  ...[`${TIMES} × the capacity of`, 'capacity, calls/s', 'sent, calls/s', '200, calls/s', '503, calls/s'],
  ...['200: p50, ms', '200: p99, ms', '503: p50, ms', 'last 503 afterwards, ms'],
  ...['new connection: p50, ms', 'slowest, ms'],
]
console.log(markdownTable(HEAD, rows, [...HEAD.keys()].slice(1)))

/** @throws Error if any answer was neither a success nor a 503 */
async function openLoop(calls: Calls, phases: readonly { rate: number; seconds: number }[]): Promise<PhaseResult[]> {
  using folder = emptyFolder()
  const program = new URL('open-loop.ts', import.meta.url).pathname
  const orderFile = writeOrderFile(folder.path, calls)
  const args = [program, service.url, orderFile, values.connections, JSON.stringify(phases)]
  const { results, failures } = await runGenerator([process.execPath, ...args])
  if (failures > 0) throw new Error(`${failures} calls to ${calls.paths[0]} failed.`)
  return results
}

/** Makes a call on a new connection every tenth of a second until the work ends. Returns the times to the first bytes of their answers. */
async function firstAnswersDuring(work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  // A rejection of the work is reported by who awaits it.
  work.then(end, end)
  const answers: Promise<number>[] = []
  while (!isOver) {
    const answer = firstAnswer()
    answer.catch(() => {})
    answers.push(answer)
    await sleep(100)
  }
  return Promise.all(answers)
}

function firstAnswer(): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { Authorization: `Bearer ${key}` } }
    get(`${service.url}/v1/pets`, options, response => {
      resolve(performance.now() - startedAt)
      response.resume()
    }).on('error', reject)
  })
}
