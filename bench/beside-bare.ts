import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Extent } from './extent.ts'
import { type Aim, type Figure, figure, isMet } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import { type Program, startBareServer, startPetstore } from './program.ts'
import { compareAnswers, NEW_ANIMAL, record } from './record.ts'
import { stock } from './stock.ts'

const ANIMALS = 1_000
const CONNECTIONS = 64

/** Under this load a bare server can use its core to the full. Where it got less, something else ran there. */
const UNDISTURBED = 0.9

interface Operation {
  name: string
  aim: Aim
  paths: readonly string[]
  body?: string
}

const OPERATIONS: readonly Operation[] = [
  { name: 'list of 20', aim: { atLeast: 0.8 }, paths: ['/v1/pets'] },
  {
    name: 'get',
    aim: { atLeast: 0.75 },
    paths: Array.from({ length: ANIMALS }, (_, index) => `/v1/pets/${index + 1}`),
  },
  { name: 'durable create', aim: { atLeast: 0.4 }, paths: ['/v1/pets'], body: NEW_ANIMAL },
]

interface Sample extends Load {
  callsPerSecond: number
  cpuMicrosPerCall: number
  /** The share of its core that the server got. */
  serverBusy: number
}

/** The three operations beside bare `node:http` servers that answer the same bytes and headers. */
export async function measureBesideBare({ rounds, seconds }: Extent): Promise<Figure[]> {
  using animals = await stock(ANIMALS)
  const { folder, key } = animals
  await using service = await startPetstore({ folder, key })
  const answers = await record(service.url, key)
  const answersFile = join(folder, 'answers.json')
  writeFileSync(answersFile, JSON.stringify(answers))
  await using bare = await startBareServer(folder, answersFile, 'fresh')
  await using constant = await startBareServer(folder, answersFile, 'constant')
  compareAnswers(answers, await record(bare.url, key))
  compareAnswers(answers, await record(constant.url, key))

  const figures: Figure[] = []
  for (const { name, aim, paths, body } of OPERATIONS) {
    const order = { key, paths, body, connections: CONNECTIONS, seconds }
    for (const program of [bare, service, constant]) await sample(program, order)
    const samples: { bare: Sample; service: Sample; constant: Sample }[] = []
    for (let round = 0; round < rounds; round++) {
      samples.push({
        bare: await sample(bare, order),
        service: await sample(service, order),
        constant: await sample(constant, order),
      })
    }
    const each = (value: (one: (typeof samples)[number]) => number) => samples.map(value)
    const ratio = (unit: 'callsPerSecond', to: 'bare' | 'constant') => each(one => one.service[unit] / one[to][unit])
    const bareBusy = figure(
      `${name}: bare busy`,
      'share',
      each(one => one.bare.serverBusy),
      { atLeast: UNDISTURBED },
    )
    const doubt = isMet(bareBusy) || Number.isNaN(bareBusy.median) ? undefined : 'VOID: disturbed'
    figures.push(
      { ...figure(`${name}: share of bare`, 'ratio', ratio('callsPerSecond', 'bare'), aim), doubt },
      figure(`${name}: share of bare, constant headers`, 'ratio', ratio('callsPerSecond', 'constant')),
      figure(
        `${name}: share of bare by processor time`,
        'ratio',
        each(one => one.bare.cpuMicrosPerCall / one.service.cpuMicrosPerCall),
      ),
      figure(
        `${name}: service`,
        'calls/s',
        each(one => one.service.callsPerSecond),
      ),
      figure(
        `${name}: bare`,
        'calls/s',
        each(one => one.bare.callsPerSecond),
      ),
      figure(
        `${name}: bare, constant headers`,
        'calls/s',
        each(one => one.constant.callsPerSecond),
      ),
      figure(
        `${name}: service`,
        'CPU µs/call',
        each(one => one.service.cpuMicrosPerCall),
      ),
      figure(
        `${name}: bare`,
        'CPU µs/call',
        each(one => one.bare.cpuMicrosPerCall),
      ),
      figure(
        `${name}: service p99`,
        'ms',
        each(one => one.service.p99Ms),
      ),
      figure(
        `${name}: bare p99`,
        'ms',
        each(one => one.bare.p99Ms),
      ),
      bareBusy,
      figure(
        `${name}: load generator busy, at bare`,
        'share',
        each(one => one.bare.generatorBusy),
        { atMost: 0.9 },
      ),
    )
  }
  return figures
}

async function sample(program: Program, order: Omit<Order, 'url'>): Promise<Sample> {
  const before = program.cpuSeconds()
  const result = await load({ ...order, url: program.url })
  const cpuSeconds = program.cpuSeconds() - before
  return {
    ...result,
    callsPerSecond: result.calls / result.seconds,
    cpuMicrosPerCall: (cpuSeconds / result.calls) * 1e6,
    serverBusy: cpuSeconds / result.seconds,
  }
}
