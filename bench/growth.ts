import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { entryOf } from '../src/domain/administration/context.ts'
import { generateKey } from '../src/domain/api-key.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import { PET_STATUSES, type PetStatus } from '../src/domain/pet.ts'
import { hashSecret, hintOf } from '../src/domain/secret.ts'
import type { Store } from '../src/domain/store.ts'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { formatRuns, summarize } from './figure.ts'
import { sample } from './load.ts'
import { memoryOf } from './process-figures.ts'
import { startPetstore } from './program.ts'
import { emptyFolder, stock } from './stock.ts'

/**
 * Measures how a store scales: the cost of importing, counting, indexing and creating an animal, its size on the disk, the duration of
 * queries, and then the start, the memory and the cost of a call with many keys.
 * `node bench/growth.ts [--animals 1000,1000000] [--keys 1,1000000]`.
 */
const { values } = parseArgs({
  options: {
    animals: { type: 'string', default: '1000,10000,100000,1000000' },
    keys: { type: 'string', default: '1,1000,100000,1000000' },
  },
})

type Transfer = Awaited<ReturnType<typeof openSqliteTransfer>>
type Figures = Record<string, number>

const FIRST = ['Bella', 'Émile', 'Łatka', 'Rex', 'Mia', 'Zoë', 'Snoopy', 'Ärger', 'Lucy', 'Ćma', 'Felix', 'Øre', 'Nala']
const SECOND = ['of the North', 'the Brave', 'von Stein', 'junior', 'from Lyon', 'II', 'the Quiet', 'Blue', 'of Kraków']
const BATCH = 1_000
const WITHOUT_LIMIT = { minAnimals: 1, maxMs: Number.POSITIVE_INFINITY }
const ROUNDS = 7
const CREATIONS = 3_000
const CONNECTIONS = 64
/** At most this many keys call. */
const MAX_CALLING = 100_000
const SECONDS = 2

const sizes = values.animals.split(',').map(Number)
const byAnimals: Figures[] = []
using folder = emptyFolder()
for (const size of sizes) byAnimals.push(await growTo(folder.path, size))
print('animals', sizes, byAnimals)
const numbersOfKeys = values.keys.split(',').map(Number)
const byKeys: Figures[] = []
for (const count of numbersOfKeys) byKeys.push(await measureKeys(count))
print('keys', numbersOfKeys, byKeys)

function print(what: string, heads: readonly number[], figures: readonly Figures[]): void {
  console.log(`${formatRuns([`by ${what}`, ...heads.map(count => count.toLocaleString('en'))], figures)}\n`)
}

/** Fills the store in the folder to this size, and measures it. */
async function growTo(path: string, now: number): Promise<Figures> {
  const startedAt = performance.now()
  const store = await SqliteStore.open(path, 'production')
  const figures: Figures = { 'opening the store as it was, ms': performance.now() - startedAt }
  const transfer = await openSqliteTransfer(path, 'production')
  const { available, pending, sold } = await store.countPets({})
  const added = now - (available + pending + sold)
  /** The median of several rounds. */
  const ask = async (name: string, question: () => Promise<unknown>) => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) times.push(await timed(question))
    figures[`${name}, ms`] = summarize(times).median
  }
  const search = (name: string) => store.searchPets({ name, order: 'newest', limit: 100 })
  const page = (afterId: number, status?: PetStatus) => store.listPets({ status, afterId: BigInt(afterId), limit: 20 })
  const bytes = () => {
    using database = connect(databaseFile(path))
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return statSync(databaseFile(path)).size
  }
  const one = Math.floor(now * 0.7)

  figures['import, µs an animal'] = ((await timed(() => importAnimals(transfer, now - added + 1, now))) * 1_000) / added
  await ask('totals before they are counted', () => store.countPets({}))
  await ask('search that finds nothing, before they are indexed', () => search('unicorn'))
  figures['on the disk, without the index, bytes an animal'] = bytes() / now
  figures['count and index, µs an animal'] = ((await timed(() => store.indexPets(WITHOUT_LIMIT))) * 1_000) / added
  figures['on the disk, bytes an animal'] = bytes() / now
  await ask('totals', () => store.countPets({}))
  await ask('categories', () => store.listCategories({ limit: 100 }))
  await ask('search that finds nothing', () => search('unicorn'))
  await ask('search that finds one', () => search(`brave ${one}`))
  await ask('search for two letters that no name has', () => search('qx'))
  await ask('totals of a name that is frequent', () => store.countPets({ name: 'emile' }))
  await ask('page of a status', () => page(0, 'sold'))
  await ask('page at random', () => page(Math.floor(Math.random() * now)))
  await ask('get', () => store.findPet(BigInt(1 + Math.floor(Math.random() * now))))
  figures['creations, 64 at once, per second'] = (CREATIONS * 1_000) / (await timed(() => create(store, now)))
  await store.close()
  return figures
}

/** Calls by one key and by many, a start, and the memory of each. */
async function measureKeys(count: number): Promise<Figures> {
  using stocked = await stock(BATCH)
  const calling = insertKeys(stocked.folder, count)
  await using service = await startPetstore(stocked)
  const started = memoryOf(service.pid)
  const order = { key: stocked.key, paths: ['/v1/pets'], connections: CONNECTIONS, seconds: SECONDS }
  await sample(service, order)
  const same = await sample(service, order)
  const others = await sample(service, { ...order, key: calling })
  return {
    'start, ms': service.startMs,
    'memory after the start, MB': started,
    'memory after the calls, MB': memoryOf(service.pid),
    'list, always the same key, CPU µs': same.cpuMicrosPerCall,
    'list, a key at random, CPU µs': others.cpuMicrosPerCall,
  }
}

/** Gives each key its own account. Returns the keys that will call. */
function insertKeys(folder: string, count: number): string[] {
  using database = new DatabaseSync(databaseFile(folder))
  const account = database.prepare(
    `INSERT INTO account (name, name_key, plan, per_minute, per_day, created_at)
      VALUES (?1, ?1, 'enterprise', 1000000000, 1000000000, 0)`,
  )
  const key = database.prepare('INSERT INTO api_key (account_id, hash, hint, created_at) VALUES (?, ?, ?, 0)')
  const calling: string[] = []
  database.exec('BEGIN')
  for (let number = 1; number <= count; number++) {
    const secret = generateKey('production')
    const { lastInsertRowid } = account.run(`partner ${number}`)
    key.run(lastInsertRowid, hashSecret(secret), hintOf(secret))
    if (calling.length < MAX_CALLING) calling.push(secret)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  return calling
}

async function importAnimals(transfer: Transfer, from: number, now: number): Promise<void> {
  const actor = { name: 'bench', origin: COMMAND_LINE }
  const staged = await transfer.beginImport()
  for (let first = from; first <= now; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, now - first + 1) }, (_, index) => first + index)
    await staged.stage(numbers.map(number => ({ line: number, id: undefined, ...animalOf(number) })))
  }
  await staged.commit(entryOf({ actor, now: Date.now() }, 'pet.import'), { skipRefused: false })
}

async function create(store: Store, animals: number): Promise<void> {
  let created = 0
  const createSome = async () => {
    while (created < CREATIONS) {
      created += 1
      await store.createPet(animalOf(animals + created), Date.now())
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, createSome))
}

/** An animal as in a large shop, with a unique name. */
function animalOf(number: number) {
  const first = FIRST[number % FIRST.length]
  const second = SECOND[Math.floor(number / FIRST.length) % SECOND.length]
  const status = PET_STATUSES[number % PET_STATUSES.length] as PetStatus
  return { name: `${first} ${second} ${number}`, categoryId: BigInt(number % 40), status }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
