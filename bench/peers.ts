import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { installPackages } from '../tools/install.ts'
import { type Extent, type Figure, figure, formatNumber, formatTable, markdownTable, summarize } from './figure.ts'
import { type Sample, sample } from './load.ts'
import { checkAnswers } from './peer-answers.ts'
import { freePort, type Program, startBareServer, startPetstore, startProgram } from './program.ts'
import { compareAnswers, NEW_ANIMAL, record } from './record.ts'
import { losses, recordedHere, recordRatios } from './recorded-ratios.ts'
import { describeRun } from './results.ts'
import { insertAnimals, stock } from './stock.ts'

/**
 * Compares the service with the same job on other frameworks: `npm run bench:peers -- [--rounds 5] [--seconds 2] [--check] [--record]`.
 * docs/performance.md has the tables of a run.
 */

const PEERS_FOLDER = join(import.meta.dirname, 'peers')
const ANIMALS = 1_000

/** Each uses the logger that its users choose, or none. */
const PEERS = [
  { name: 'Hono on Bun', program: 'hono.ts', log: 'hono/logger' },
  { name: 'Elysia on Bun', program: 'elysia.ts', log: 'logixlysia' },
] as const

const OPERATIONS = {
  list: { paths: ['/v1/pets'], body: undefined },
  get: { paths: Array.from({ length: ANIMALS }, (_, index) => `/v1/pets/${index + 1}`), body: undefined },
  create: { paths: ['/v1/pets'], body: NEW_ANIMAL },
}

type OperationName = keyof typeof OPERATIONS
const NAMES = Object.keys(OPERATIONS) as OperationName[]
/** `service` is Petstore; the floor answers recorded bytes and does nothing else. */
type Kind = 'service' | 'peer with a log' | 'peer without a log' | 'floor'

/** The service's targets, compared with the best server of each kind. */
const TARGETS: readonly { operation: OperationName; beside: Kind; atLeast: number }[] = [
  { operation: 'list', beside: 'peer without a log', atLeast: 2.8 },
  { operation: 'get', beside: 'peer without a log', atLeast: 1.1 },
  { operation: 'create', beside: 'peer without a log', atLeast: 10 },
  { operation: 'get', beside: 'peer with a log', atLeast: 1.5 },
]

interface Contestant {
  name: string
  kind: Kind
  key: string
  program: Program
  /** One for each round. */
  samples: Record<OperationName, Sample[]>
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    check: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const extent: Extent = { rounds: Number(values.rounds), seconds: Number(values.seconds) }

installPackages(PEERS_FOLDER)
console.log(`${describeRun(extent)}\n`)
const contestants = await compare(extent)
for (const name of NAMES) console.log(`${tableOf(name)}\n`)
const ratios = TARGETS.map(ratioOf)
console.log(formatTable(ratios))
if (values.record) recordRatios(ratios)
if (values.check) {
  for (const loss of losses(ratios, recordedHere())) {
    console.error(loss)
    process.exitCode = 1
  }
}

/** Checks that all servers answer correctly, then measures them alternately, in an order that rotates each round. */
async function compare({ rounds, seconds }: Extent): Promise<Contestant[]> {
  using animals = await stock(ANIMALS)
  const { folder, key } = animals
  const database = createPeerDatabase(folder)
  await checkAnswers({ key, start: under => startPetstore({ folder, key, under }) }, folder)
  for (const { name, program } of PEERS) {
    const start = (under: readonly string[]) => startPeer(program, folder, database, { isLogging: true, under })
    await checkAnswers({ key: database.key, start }, folder)
    console.log(`${name} answers correctly, and writes each animal to the disk.`)
  }

  await using programs = new AsyncDisposableStack()
  const compared: Contestant[] = []
  const add = async (name: string, kind: Kind, start: Promise<Program>, callersKey = key) => {
    const samples = { list: [], get: [], create: [] }
    compared.push({ name, kind, key: callersKey, program: programs.use(await start), samples })
  }
  await add('Petstore', 'service', startPetstore({ folder, key }))
  for (const { name, program, log } of PEERS) {
    const start = (isLogging: boolean) => startPeer(program, folder, database, { isLogging })
    await add(`${name}, ${log}`, 'peer with a log', start(true), database.key)
    await add(`${name}, no log`, 'peer without a log', start(false), database.key)
  }
  const answers = await record((compared[0] as Contestant).program.url, key)
  const answersFile = join(folder, 'answers.json')
  writeFileSync(answersFile, JSON.stringify(answers))
  await add('node:http, same headers', 'floor', startBareServer(folder, answersFile, 'fresh'))
  compareAnswers(answers, await record((compared.at(-1) as Contestant).program.url, key))

  for (const name of NAMES) {
    // The first round warms up.
    for (let round = -1; round < rounds; round++) {
      for (let turn = 0; turn < compared.length; turn++) {
        const one = compared[(turn + round + 1) % compared.length] as Contestant
        const { paths, body } = OPERATIONS[name]
        const result = await sample(one.program, { key: one.key, paths, body, connections: 64, seconds })
        if (round >= 0) one.samples[name].push(result)
      }
    }
  }
  return compared
}

/** Animals and a key for the peers. */
function createPeerDatabase(folder: string): { file: string; key: string } {
  const file = join(folder, 'peers.sqlite')
  const key = randomBytes(24).toString('base64url')
  using database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE api_key (hash BLOB PRIMARY KEY, account TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE pet (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL
    );
    CREATE INDEX pet_by_status ON pet (status, id)`)
  database.prepare('INSERT INTO api_key VALUES (?, ?)').run(createHash('sha256').update(key).digest(), 'bench')
  insertAnimals(database, ANIMALS)
  return { file, key }
}

/** Starts a peer with a copy of the animals. */
async function startPeer(
  program: string,
  folder: string,
  { file, key }: { file: string; key: string },
  { isLogging, under }: { isLogging: boolean; under?: readonly string[] },
): Promise<Program> {
  const port = await freePort()
  const copy = join(folder, `${port}.sqlite`)
  copyFileSync(file, copy)
  const env = { PORT: String(port), DATABASE: copy, LOG: isLogging ? 'on' : 'off', NODE_ENV: 'production' }
  // The install script of the package `bun` would link to the program, which is in a separate package for each platform.
  const processor = arch() === 'arm64' ? 'aarch64' : arch()
  const bun = join(PEERS_FOLDER, `node_modules/@oven/bun-${platform()}-${processor}/bin/bun`)
  return startProgram({ command: [bun, join(PEERS_FOLDER, program)], env, folder, key, under }, port)
}

function tableOf(operation: OperationName): string {
  const rows = contestants.map(one => {
    const of = (value: (one: Sample) => number) => summarize(one.samples[operation].map(value))
    const speed = of(({ callsPerSecond }) => callsPerSecond)
    return [
      one.name,
      formatNumber(speed.median),
      `${formatNumber(speed.min)}–${formatNumber(speed.max)}`,
      formatNumber(of(({ p50Ms }) => p50Ms).median),
      formatNumber(of(({ p99Ms }) => p99Ms).median),
      formatNumber(of(({ cpuMicrosPerCall }) => cpuMicrosPerCall).median),
      one.kind === 'service' ? '' : `${formatNumber(summarize(timesAsFast(one, operation)).median)} ×`,
    ]
  })
  const head = [operation, 'calls/s', 'range', 'p50, ms', 'p99, ms', 'CPU, µs per call', 'Petstore ÷ this']
  return markdownTable(head, rows, [1, 3, 4, 5, 6])
}

function ratioOf({ operation, beside, atLeast }: (typeof TARGETS)[number]): Figure {
  const speed = ({ samples }: Contestant) =>
    summarize(samples[operation].map(({ callsPerSecond }) => callsPerSecond)).median
  const rivals = contestants.filter(({ kind }) => kind === beside)
  const best = rivals.reduce((one, other) => (speed(other) > speed(one) ? other : one))
  const name = `${operation}: Petstore ÷ best ${beside} (${best.name})`
  return figure(name, 'ratio', timesAsFast(best, operation), { atLeast })
}

/** How many times as fast as another server the service is, round by round. */
function timesAsFast(other: Contestant, operation: OperationName): number[] {
  const service = (contestants[0] as Contestant).samples[operation]
  return other.samples[operation].map(
    ({ callsPerSecond }, round) => (service[round] as Sample).callsPerSecond / callsPerSecond,
  )
}
