import { entryOf } from '../src/domain/administration/context.ts'
import { COMMAND_LINE } from '../src/domain/audit.ts'
import type { Store } from '../src/domain/store.ts'
import { animalOf, statusOf } from './animals.ts'
import type { GrowingStore } from './growing-store.ts'
import { seededRandom } from './random.ts'

/** A row of the table: a step that is measured at each size. */
interface Step {
  name: string
  unit: 'µs an animal' | 'bytes an animal' | 'ms' | 'per second'
  measure(growing: GrowingStore, size: Size): Promise<number>
}

/** How many animals there were, and are. */
interface Size {
  before: number
  now: number
}

/** In order: each step starts with the store that the previous one left. */
export const GROWTH_STEPS: readonly Step[] = [
  { name: 'import', unit: 'µs an animal', measure: importAnimals },
  question('totals before they are counted', store => store.countPets({})),
  question('search that finds nothing, before they are indexed', store => search(store, 'unicorn')),
  { name: 'on the disk, without the index', unit: 'bytes an animal', measure: bytesEach },
  { name: 'count and index', unit: 'µs an animal', measure: index },
  { name: 'on the disk', unit: 'bytes an animal', measure: bytesEach },
  question('totals', store => store.countPets({})),
  question('totals of one status', store => store.countPets({ statuses: ['sold'] })),
  question('categories', store => store.listCategories({ limit: 100 })),
  question('search that finds nothing', store => search(store, 'unicorn')),
  question('search that finds one', (store, size) => search(store, `brave ${Math.floor(size * 0.7)}`)),
  question('search that finds many', store => search(store, 'emile')),
  question('search for two letters that no name has', store => search(store, 'qx')),
  question('totals of a name that is rare', (store, size) => store.countPets({ name: `${Math.floor(size * 0.7)}` })),
  question('totals of a name that is frequent', store => store.countPets({ name: 'emile' })),
  question('first page', store => store.listPets({ status: undefined, afterId: 0n, limit: 20 })),
  question('page of a status', store => store.listPets({ status: 'sold', afterId: 0n, limit: 20 })),
  question('page at random', (store, size) => {
    return store.listPets({ status: undefined, afterId: BigInt(Math.floor(random() * size)), limit: 20 })
  }),
  question('last page', (store, size) => store.listPets({ status: undefined, afterId: BigInt(size - 20), limit: 20 })),
  question('get', (store, size) => store.findPet(BigInt(1 + Math.floor(random() * size)))),
  { name: 'start', unit: 'ms', measure: start },
  { name: 'correction of statuses by a file', unit: 'µs an animal', measure: correctStatuses },
  { name: 'creations, 64 at once', unit: 'per second', measure: create },
]

/** Fills the store to this size, and returns the result of each step by its name. */
export async function growTo(growing: GrowingStore, size: number): Promise<Record<string, number>> {
  const before = await countAnimals(growing.store)
  const figures: Record<string, number> = {}
  for (const { name, measure } of GROWTH_STEPS) figures[name] = await measure(growing, { before, now: size })
  return figures
}

const BATCH = 1_000
const WITHOUT_LIMIT = { minAnimals: 1, maxMs: Number.POSITIVE_INFINITY }
const CORRECTIONS = 10_000
const ROUNDS = 7
const CREATIONS = 3_000
const CONNECTIONS = 64
const random = seededRandom(1)

/** A query, whose result is the median of several rounds. */
function question(name: string, ask: (store: Store, size: number) => Promise<unknown>): Step {
  const measure = async ({ store }: GrowingStore, { now }: Size) => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => ask(store, now)))
    return times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] as number
  }
  return { name, unit: 'ms', measure }
}

function search(store: Store, name: string) {
  return store.searchPets({ name, order: 'newest', limit: 100 })
}

async function importAnimals({ transfer }: GrowingStore, { before, now }: Size): Promise<number> {
  const milliseconds = await timed(async () => {
    const staged = await transfer.beginImport()
    for (let first = before + 1; first <= now; first += BATCH) {
      await staged.stage(Array.from({ length: Math.min(BATCH, now - first + 1) }, (_, index) => lineOf(first + index)))
    }
    await staged.commit(entry('pet.import'), { skipRefused: false })
  })
  return microsecondsEach(milliseconds, now - before)
}

async function bytesEach({ bytes }: GrowingStore, { now }: Size): Promise<number> {
  return (await bytes()) / now
}

async function index({ store }: GrowingStore, { before, now }: Size): Promise<number> {
  return microsecondsEach(await timed(() => store.indexPets(WITHOUT_LIMIT)), now - before)
}

/** Every size changes the statuses again. */
async function correctStatuses({ store, transfer }: GrowingStore, { before, now }: Size): Promise<number> {
  const count = Math.min(CORRECTIONS, now)
  const milliseconds = await timed(async () => {
    const staged = await transfer.beginUpdate()
    for (let first = 1; first <= count; first += BATCH) {
      const ids = Array.from({ length: BATCH }, (_, index) => first + index)
      await staged.stage(ids.map(id => ({ line: id, id: BigInt(id), change: { status: statusOf(id + before + 1) } })))
    }
    await staged.commit(entry('pet.update'), { skipRefused: false })
  })
  await store.indexPets(WITHOUT_LIMIT)
  return microsecondsEach(milliseconds, count)
}

async function start({ open }: GrowingStore): Promise<number> {
  const startedAt = performance.now()
  const store = await open()
  const milliseconds = performance.now() - startedAt
  await store.close()
  return milliseconds
}

async function create({ store }: GrowingStore, { now }: Size): Promise<number> {
  let created = 0
  const createSome = async () => {
    while (created < CREATIONS) {
      created += 1
      await store.createPet(animalOf(now + created), Date.now())
    }
  }
  const milliseconds = await timed(() => Promise.all(Array.from({ length: CONNECTIONS }, createSome)))
  await store.indexPets(WITHOUT_LIMIT)
  return (CREATIONS * 1_000) / milliseconds
}

async function countAnimals(store: Store): Promise<number> {
  const { available, pending, sold } = await store.countPets({})
  return available + pending + sold
}

function lineOf(number: number) {
  return { line: number, id: undefined, ...animalOf(number) }
}

function entry(action: 'pet.import' | 'pet.update') {
  return entryOf({ actor: { name: 'bench', origin: COMMAND_LINE }, now: Date.now() }, action)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function microsecondsEach(milliseconds: number, animals: number): number {
  return (milliseconds * 1_000) / animals
}
