import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { type Figure, figure, formatTable } from './figure.ts'
import { load } from './load.ts'
import { type Program, startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { emptyFolder, stock } from './stock.ts'

/**
 * Measures how much a continuous copy slows down creations, how much is lost with the machine, and how long a restore takes:
 * `node bench/continuous-copy.ts [--animals 1000000] [--rounds 5]`.
 */

const { values } = parseArgs({
  options: { animals: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
})
const CONNECTIONS = 64
const SECONDS = 5
const EVERY_SECONDS = 1
const LOOK_EVERY_MS = 10
const PROGRAM = new URL('../bin/petstore.ts', import.meta.url).pathname
const run = promisify(execFile)

const rounds: { alone: number; copied: number; lost: number; lostMs: number; restoreMs: number }[] = []
for (let round = 0; round < Number(values.rounds); round += 1) rounds.push(await measure(Number(values.animals)))
const of = (name: string, unit: string, value: (one: (typeof rounds)[number]) => number): Figure =>
  figure(name, unit, rounds.map(value))
console.log(
  formatTable([
    of('creations without a copy', 'calls/s', ({ alone }) => alone),
    of('creations while the store is copied', 'calls/s', ({ copied }) => copied),
    of('lost with the machine', 'animals', ({ lost }) => lost),
    of('lost with the machine: the newest', 'ms', ({ lostMs }) => lostMs),
    of(`restore of ${values.animals} animals and what was added`, 'ms', ({ restoreMs }) => restoreMs),
  ]),
)

async function measure(animals: number): Promise<(typeof rounds)[number]> {
  using animalsInStore = await stock(animals)
  using copy = emptyFolder()
  const { folder, key } = animalsInStore
  const copyFolder = join(copy.path, 'copy')
  mkdirSync(copyFolder)
  const order = { key, paths: ['/v1/pets'], body: NEW_ANIMAL, connections: CONNECTIONS, seconds: SECONDS }
  const rate = async ({ url }: Program) => {
    const { calls, seconds } = await load({ ...order, url })
    return calls / seconds
  }
  const alone = await (async () => {
    await using service = await startPetstore({ folder, key })
    return await rate(service)
  })()
  const settings = { PETSTORE_COPY_TO: copyFolder, PETSTORE_COPY_EVERY: String(EVERY_SECONDS) }
  await using service = await startPetstore({ folder, key }, settings)
  while (!readdirSync(copyFolder, { recursive: true }).some(name => String(name).endsWith('.full'))) await sleep(50)
  const copied = await rate(service)

  // The machine is lost during creations.
  const written: Written[] = []
  const last = load({ ...order, url: service.url }).catch(() => undefined)
  const database = new DatabaseSync(databaseFile(folder), { readOnly: true })
  const newest = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pet'")
  for (const until = performance.now() + (SECONDS * 1_000) / 2; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
    written.push({ id: Number(newest.get()?.seq), at: performance.now() })
  }
  process.kill(service.pid, 'SIGKILL')
  const killedAt = performance.now()
  await last
  const id = Number(newest.get()?.seq)
  database.close()

  using other = emptyFolder()
  const begun = performance.now()
  const { stdout } = await run(process.execPath, [PROGRAM, 'restore', copyFolder, '--json'], {
    env: { PATH: process.env.PATH, PETSTORE_DATA: other.path },
  })
  const restoreMs = performance.now() - begun
  const restored = Number(JSON.parse(stdout).newestAnimalId)
  const reached = written.findLast(one => one.id <= restored)?.at ?? killedAt
  return { alone, copied, lost: id - restored, lostMs: killedAt - reached, restoreMs }
}

/** The newest animal at a time of `performance.now()`. */
interface Written {
  id: number
  at: number
}
