import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Extent, type Figure, figure, isMet, type Target } from './figure.ts'
import { type Sample, sample } from './load.ts'
import { startBareServer, startPetstore } from './program.ts'
import { compareAnswers, NEW_ANIMAL, record } from './record.ts'
import { stock } from './stock.ts'

const ANIMALS = 1_000
const CONNECTIONS = 64

/** Under this load, a bare server can use its whole core. If it got less, something else ran on that core. */
const UNDISTURBED = 0.9

interface Operation {
  name: string
  target: Target
  paths: readonly string[]
  body?: string
}

const OPERATIONS: readonly Operation[] = [
  { name: 'list of 20', target: { atLeast: 0.85 }, paths: ['/v1/pets'] },
  {
    name: 'get',
    target: { atLeast: 0.8 },
    paths: Array.from({ length: ANIMALS }, (_, index) => `/v1/pets/${index + 1}`),
  },
  { name: 'durable create', target: { atLeast: 0.45 }, paths: ['/v1/pets'], body: NEW_ANIMAL },
]

interface Round {
  bare: Sample
  service: Sample
  /** The service with logging off. */
  silent: Sample
  constant: Sample
}

/** Compares three operations with bare `node:http` servers that send the same bytes and headers. */
export async function compareWithBare({ rounds, seconds }: Extent): Promise<Figure[]> {
  using animals = await stock(ANIMALS)
  using others = await stock(ANIMALS)
  const { folder, key } = animals
  await using service = await startPetstore({ folder, key })
  await using silent = await startPetstore(others, { PETSTORE_LOG_LEVEL: 'silent' })
  const answers = await record(service.url, key)
  const answersFile = join(folder, 'answers.json')
  writeFileSync(answersFile, JSON.stringify(answers))
  await using bare = await startBareServer(folder, answersFile, 'fresh')
  await using constant = await startBareServer(folder, answersFile, 'constant')
  compareAnswers(answers, await record(bare.url, key))
  compareAnswers(answers, await record(constant.url, key))

  const figures: Figure[] = []
  for (const operation of OPERATIONS) {
    const { paths, body } = operation
    const order = { key, paths, body, connections: CONNECTIONS, seconds }
    const silentOrder = { ...order, key: others.key }
    for (const program of [bare, service, constant]) await sample(program, order)
    await sample(silent, silentOrder)
    const samples: Round[] = []
    for (let round = 0; round < rounds; round++) {
      samples.push({
        bare: await sample(bare, order),
        service: await sample(service, order),
        silent: await sample(silent, silentOrder),
        constant: await sample(constant, order),
      })
    }
    figures.push(...figuresOf(operation, samples))
  }
  return figures
}

function figuresOf({ name, target }: Operation, rounds: readonly Round[]): Figure[] {
  const of = (label: string, unit: string, value: (round: Round) => number, target?: Target) =>
    figure(`${name}: ${label}`, unit, rounds.map(value), target)
  const bareBusy = of('bare busy', 'share', ({ bare }) => bare.serverBusy, { atLeast: UNDISTURBED })
  const doubt = isMet(bareBusy) || Number.isNaN(bareBusy.median) ? undefined : 'VOID: disturbed'
  const speed = (one: Sample, other: Sample) => one.callsPerSecond / other.callsPerSecond
  const cost = (one: Sample, other: Sample) => other.cpuMicrosPerCall / one.cpuMicrosPerCall
  return [
    { ...of('share of bare', 'ratio', ({ service, bare }) => speed(service, bare), target), doubt },
    of('share of bare, constant headers', 'ratio', ({ service, constant }) => speed(service, constant)),
    of('share of bare by CPU time', 'ratio', ({ service, bare }) => cost(service, bare)),
    of('share of bare, without the log', 'ratio', ({ silent, bare }) => speed(silent, bare)),
    of('share of bare by CPU time, without the log', 'ratio', ({ silent, bare }) => cost(silent, bare)),
    of('service', 'calls/s', ({ service }) => service.callsPerSecond),
    of('bare', 'calls/s', ({ bare }) => bare.callsPerSecond),
    of('bare, constant headers', 'calls/s', ({ constant }) => constant.callsPerSecond),
    of('service', 'CPU µs/call', ({ service }) => service.cpuMicrosPerCall),
    of('bare', 'CPU µs/call', ({ bare }) => bare.cpuMicrosPerCall),
    of('service p99', 'ms', ({ service }) => service.p99Ms),
    of('bare p99', 'ms', ({ bare }) => bare.p99Ms),
    bareBusy,
    of('load generator busy, at bare', 'share', ({ bare }) => bare.generatorBusy, { atMost: 0.9 }),
  ]
}
