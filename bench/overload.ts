import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { formatNumber, markdownTable } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import { type FirstAnswer, firstAnswers, openLoop, type PhaseResult } from './overload-load.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { coldPages, stock } from './stock.ts'

/**
 * Measures what happens when more calls arrive than can be answered: `node bench/overload.ts`, about two minutes. `--program FILE` measures
 * another checkout's `bin/petstore.js`, `--times` sets the excess, and `--connections` sets how many calls can wait for their answers. README.md
 * explains the columns.
 */
const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    times: { type: 'string', default: '3' },
    connections: { type: 'string', default: '4000' },
    seconds: { type: 'string', default: '10' },
  },
})
const TIMES = Number(values.times)
const SECONDS = Number(values.seconds)
const ANIMALS = 100_000
const CAPACITY_CONNECTIONS = 64
/** The default is too many for all their calls to be answered in time. */
const CONNECTIONS = Number(values.connections)
const BUSY_CONNECTIONS = 1_000
/** The load after the overload. */
const CALM = { share: 0.5, seconds: 3 }

using animals = await stock(ANIMALS)
const { folder, key } = animals
await using service = await startPetstore({ folder, key, ...(values.program && { program: values.program }) })
const { url } = service
const WORK: Record<string, Pick<Order, 'paths' | 'body'>> = {
  'cold pages of 100': { paths: coldPages(animals, ANIMALS, 100) },
  'cold pages of 20': { paths: coldPages(animals, ANIMALS, 20) },
  'a cached page': { paths: ['/v1/pets'] },
  creations: { paths: ['/v1/pets'], body: NEW_ANIMAL },
}

const rows: string[][] = []
/** Time for the service to recover, even on a busy machine. */
const REST_MS = 2_000
for (const [name, work] of Object.entries(WORK)) {
  const order = { url, key, ...work }
  await load({ ...order, connections: CAPACITY_CONNECTIONS, seconds: 2 })
  const capacity = rateOf(await load({ ...order, connections: CAPACITY_CONNECTIONS, seconds: 3 }))
  const phases = [
    { rate: TIMES * capacity, seconds: SECONDS },
    { rate: CALM.share * capacity, seconds: CALM.seconds },
  ]
  const loaded = openLoop({ ...order, connections: CONNECTIONS }, phases)
  const { result, answers } = await firstAnswers({ url, key, atOnce: 1, everyMs: 100 }, loaded)
  await sleep(REST_MS)
  rows.push(rowOf(name, capacity, result as [PhaseResult, PhaseResult], answers))
}
console.log(
  markdownTable(
    [
      ...[`${TIMES} × the capacity of`, 'capacity, calls/s', 'sent, calls/s', '200, calls/s', '503, calls/s'],
      ...[
        '200: p50, ms',
        '200: p99, ms',
        '503: p50, ms',
        'last 503 afterwards, ms',
        'new connection: p50, ms',
        'slowest, ms',
      ],
    ],
    rows,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ),
)

const busy = load({ url, key, paths: ['/v1/pets'], connections: BUSY_CONNECTIONS, seconds: SECONDS })
const { result, answers } = await firstAnswers({ url, key, atOnce: 50, everyMs: 500 }, busy)
const [p50, slowest] = timesOf(answers)
console.log(`\nWith ${BUSY_CONNECTIONS.toLocaleString('en')} busy connections (${formatNumber(rateOf(result))} calls/s, p99 ${formatNumber(result.p99Ms)} ms), 50 new
connections at a time: first answers after a median of ${p50} ms, and ${slowest} ms at most.`)

function rateOf({ calls, seconds }: Load): number {
  return calls / seconds
}

function rowOf(
  name: string,
  capacity: number,
  [over, calm]: [PhaseResult, PhaseResult],
  answers: readonly FirstAnswer[],
): string[] {
  const { seconds, offered, unsent, admitted, refused } = over
  const figures = [
    ...[capacity, (offered - unsent) / seconds, admitted.calls / seconds, refused.calls / seconds],
    ...[admitted.p50Ms, admitted.p99Ms, refused.p50Ms, calm.lastRefusedMs],
  ]
  return [name, ...figures.map(one => formatNumber(one ?? Number.NaN)), ...timesOf(answers)]
}

/** The median and the longest. */
function timesOf(answers: readonly FirstAnswer[]): [string, string] {
  const times = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  return [formatNumber(times[Math.floor(times.length / 2)] ?? Number.NaN), formatNumber(times.at(-1) ?? Number.NaN)]
}
