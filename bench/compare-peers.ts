import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAnswers } from './peer-answers.ts'
import { createPeerStock, PEERS, startBunFloor, startNginx, startPeer } from './peer-servers.ts'
import { type Program, startBareServer, startPetstore } from './program.ts'
import { compareAnswers, NEW_ANIMAL, record } from './record.ts'
import { type Sample, sample } from './sample.ts'
import { stock } from './stock.ts'

const ANIMALS = 1_000
const CONNECTIONS = 64

/** The measured operations, in order. */
export const OPERATIONS = {
  list: { title: 'A list of 20', paths: ['/v1/pets'] },
  get: { title: 'One animal', paths: Array.from({ length: ANIMALS }, (_, index) => `/v1/pets/${index + 1}`) },
  create: { title: 'A new animal, on the disk', paths: ['/v1/pets'], body: NEW_ANIMAL },
} as const

export type OperationName = keyof typeof OPERATIONS

/** `service` is Petstore; a floor answers recorded bytes and does nothing else. */
export type Kind = 'service' | 'peer with a log' | 'peer without a log' | 'floor'

interface Contestant {
  name: string
  kind: Kind
  key: string
  program: Program
}

export interface Result {
  name: string
  kind: Kind
  startMs: number
  peakMemory: number
  /** One for each round. */
  samples: Readonly<Record<OperationName, readonly Sample[]>>
}

/** Checks that all servers answer correctly, then measures them alternately, in an order that rotates each round. */
export async function comparePeers({ rounds, seconds }: { rounds: number; seconds: number }): Promise<Result[]> {
  using animals = await stock(ANIMALS)
  const { folder, key } = animals
  const peers = createPeerStock(folder, ANIMALS)
  await checkAnswers({ key, start: under => startPetstore({ folder, key, under }) }, folder)
  for (const peer of PEERS) {
    await checkAnswers({ key: peers.key, start: under => startPeer(peer, peers, { isLogging: true, under }) }, folder)
    console.log(`${peer.framework} answers correctly, and writes each animal to the disk.`)
  }

  await using programs = new AsyncDisposableStack()
  const contestants: Contestant[] = []
  const add = async (name: string, kind: Kind, start: Promise<Program>, callersKey = key) => {
    contestants.push({ name, kind, key: callersKey, program: programs.use(await start) })
  }
  await add('Petstore', 'service', startPetstore({ folder, key }))
  for (const peer of PEERS) {
    const name = `${peer.framework} on ${peer.runtime}`
    await add(`${name}, ${peer.log}`, 'peer with a log', startPeer(peer, peers, { isLogging: true }), peers.key)
    await add(`${name}, no log`, 'peer without a log', startPeer(peer, peers, { isLogging: false }), peers.key)
  }
  const answers = await record((contestants[0] as Contestant).program.url, key)
  const answersFile = join(folder, 'answers.json')
  writeFileSync(answersFile, JSON.stringify(answers))
  await add('node:http, same headers', 'floor', startBareServer(folder, answersFile, 'fresh'))
  await add('Bun.serve', 'floor', startBunFloor(folder, answersFile))
  await add('nginx', 'floor', startNginx(folder, answers))
  for (const { kind, program } of contestants) {
    if (kind === 'floor') compareAnswers(answers, await record(program.url, key))
  }

  const samples = contestants.map(() => ({ list: [] as Sample[], get: [] as Sample[], create: [] as Sample[] }))
  for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, { paths: string[]; body?: string }][]) {
    for (let round = -1; round < rounds; round++) {
      for (let turn = 0; turn < contestants.length; turn++) {
        const index = (turn + round + 1) % contestants.length
        const { program, key } = contestants[index] as Contestant
        const order = { key, paths: operation.paths, body: operation.body, connections: CONNECTIONS, seconds }
        // The first round warms up.
        const result = await sample(program, order)
        if (round >= 0) samples[index]?.[name].push(result)
      }
    }
  }
  return contestants.map(({ name, kind, program }, index) => ({
    name,
    kind,
    startMs: program.startMs,
    peakMemory: program.peakMemory(),
    samples: samples[index] as Result['samples'],
  }))
}
