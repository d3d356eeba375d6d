import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { PET_STATUSES } from '../src/domain/pet.ts'
import { entry } from '../src/domain/store-contract/fixtures.contract.ts'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { openSqliteTransfer } from '../src/sqlite/pet-transfer.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { runCommand } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { serve } from './support/store-commands.ts'

// The counts and the index of names: they are used, built in the background, checked, and rebuilt by a restore. The contract of stores ensures that
// they do not change any result.

const ANIMALS = 3_000
/** Far behind the animals that a search for one animal reads one by one. */
const DEEP = 2_500n

test('a search uses the index after its first animals, and totals use the counts', async t => {
  const folder = await makeIndexed(t)
  await using opened = await open(folder)
  const { store } = opened
  const found = async () => (await store.searchPets({ name: `animal ${DEEP}`, limit: 1 })).pets.map(({ id }) => id)
  assert.deepEqual(await found(), [DEEP])
  spoil(folder)
  assert.deepEqual(await found(), [])
  assert.deepEqual(await store.countPets({}), { available: 1_005, pending: 1_000, sold: 1_000 })
  assert.deepEqual(await store.listCategories({ limit: 10 }), [{ id: 7n, label: undefined, animals: 3_005 }])
})

test('doctor reports an index that does not agree with the animals, and a restore rebuilds it', async t => {
  const folder = await makeIndexed(t)
  assert.equal((await findingOf(folder)).outcome, 'ok')
  spoil(folder)
  const { outcome, message } = await findingOf(folder)
  assert.equal(outcome, 'warn')
  assert.match(message, /do not match the animals\. To rebuild them, run petstore backup FILE/)

  const file = join(await temporaryFolder(t), 'backup.db')
  assert.equal((await runCommand(['backup', file], { PETSTORE_DATA: folder })).code, 0)
  assert.equal((await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder })).code, 0)
  assert.equal((await findingOf(folder)).outcome, 'ok')
  await using restored = await open(folder)
  assert.deepEqual(await restored.store.countPets({}), { available: 1_000, pending: 1_000, sold: 1_000 })
  assert.equal((await restored.store.searchPets({ name: `animal ${DEEP}`, limit: 1 })).pets.length, 1)
})

test('counts and index follow a file that corrects animals, and one that adds some', async t => {
  const folder = await makeIndexed(t)
  const transfer = await openSqliteTransfer(folder, 'production')
  const update = await transfer.beginUpdate()
  const ids = Array.from({ length: 1_200 }, (_, index) => BigInt(1_000 + index))
  await update.stage(ids.map(id => ({ line: Number(id), id, change: { name: `Corrected ${id}`, status: 'sold' } })))
  await update.commit(entry('pet.update'), { skipRefused: false })
  const added = await transfer.beginImport()
  await added.stage([{ line: 1, id: undefined, name: 'Corrected twin', categoryId: 8n, status: 'pending' }])
  await added.commit(entry('pet.import'), { skipRefused: false })

  await using opened = await open(folder)
  const { store } = opened
  for (const minAnimals of [9_999, 1]) {
    await store.indexPets({ minAnimals, maxMs: 60_000 })
    assert.equal((await findingOf(folder)).outcome, 'ok')
    assert.deepEqual(await store.countPets({}), { available: 600, pending: 601, sold: 1_800 })
    assert.equal((await store.countPets({ name: 'corrected' })).sold, 1_200)
    const newest = await store.searchPets({ name: 'corrected', order: 'newest', limit: 2 })
    assert.deepEqual(
      newest.pets.map(({ id }) => id),
      [3_001n, 2_199n],
    )
    assert.deepEqual((await store.searchPets({ name: 'animal 1500', limit: 2 })).pets, [])
  }
})

test('at most 10,000 categories have saved counts: those with a label, and those with the most animals, also if they came later', async t => {
  const folder = await temporaryFolder(t)
  await using opened = await open(folder)
  const { store } = opened
  using database = connect(databaseFile(folder))
  const add = (first: number, last: number) => {
    const insert = database.prepare(`INSERT INTO pet (name, category_id, status, checksum, search_name)
      VALUES ('Rex', ?1, 'sold', pet_checksum('Rex', ?1, 'sold'), 'REX')`)
    database.exec('BEGIN')
    for (let category = first; category <= last; category += 1) insert.run(category)
    database.exec('COMMIT')
  }
  const counted = (first = 0, last = 99_999) =>
    database
      .prepare('SELECT count(DISTINCT category_id) AS categories FROM pet_count WHERE category_id BETWEEN ? AND ?')
      .get(first, last)?.categories
  const index = () => store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  await store.labelCategory(12_000n, 'Rare', entry('category.label'))
  add(1, 9_000)
  add(1, 9_000)
  await index()
  assert.equal(counted(), 9_000n)
  add(10_001, 12_000)
  await index()
  assert.deepEqual([counted(), counted(1, 9_000), counted(12_000, 12_000)], [10_000n, 9_000n, 1n])
  for (let round = 0; round < 3; round += 1) add(50_001, 50_100)
  await index()
  assert.deepEqual([counted(), counted(50_001, 50_100), counted(12_000, 12_000)], [10_000n, 100n, 1n])
  assert.equal((await findingOf(folder)).outcome, 'ok')
  assert.deepEqual(await store.countPets({}), { available: 0, pending: 0, sold: 20_300 })
  for (const [categoryId, sold] of [
    [9_000n, 2],
    [11_999n, 1],
    [12_000n, 1],
    [50_001n, 3],
  ] as const) {
    assert.equal((await store.countPets({ categoryId })).sold, sold)
  }
  assert.equal((await store.listCategories({ limit: 99_999 })).length, 11_100)
})

test('a process that is killed while it counts and indexes leaves both correct', async t => {
  const folder = await temporaryFolder(t)
  fill(folder, ANIMALS)
  const script = `
    import { SqliteStore } from ${JSON.stringify(new URL('../src/sqlite/store.ts', import.meta.url))}
    const store = await SqliteStore.open(${JSON.stringify(folder)}, 'production')
    for (;;) {
      await store.indexPets({ minAnimals: 1, maxMs: 0 })
      for (let count = 0; count < 9; count += 1) {
        await store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, 1)
      }
      process.stdout.write('.')
    }`
  for (const rounds of [1, 4]) {
    const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    let printed = ''
    child.stdout.on('data', chunk => {
      printed += chunk
      if (printed.length >= rounds) child.kill('SIGKILL')
    })
    await once(child, 'close')
    assert.equal((await findingOf(folder)).outcome, 'ok')
  }
})

test('a service counts and indexes animals in the background, but not a few', async t => {
  const folder = await temporaryFolder(t)
  fill(folder, ANIMALS)
  const service = await serve(t, folder)
  // On a busy machine, its time may run out when only a few are left: they stay.
  await eventually(() => {
    const { counted_to: counted, indexed_to: indexed } = progressOf(folder)
    assert.ok(
      counted > ANIMALS - 1_000 && indexed > ANIMALS - 1_000,
      `counted up to ${counted}, indexed up to ${indexed}`,
    )
  })
  await service.stop()

  await using opened = await open(folder)
  const { store } = opened
  await store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  fill(folder, 999)
  await store.indexPets({ minAnimals: 1_000, maxMs: 60_000 })
  assert.deepEqual(progressOf(folder), { counted_to: 3_000n, indexed_to: 3_000n })
  fill(folder, 1)
  await store.indexPets({ minAnimals: 1_000, maxMs: 60_000 })
  assert.deepEqual(progressOf(folder), { counted_to: 4_000n, indexed_to: 4_000n })
})

/** A folder with a store whose animals are all counted and indexed. */
async function makeIndexed(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  fill(folder, ANIMALS)
  await using opened = await open(folder)
  await opened.store.indexPets({ minAnimals: 1, maxMs: 60_000 })
  return folder
}

async function open(folder: string): Promise<{ store: SqliteStore } & AsyncDisposable> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

function fill(folder: string, count: number): void {
  prepareDatabase(folder, 'production')
  using database = connect(databaseFile(folder))
  const insert = database.prepare(
    `INSERT INTO pet (name, category_id, status, checksum, search_name)
     VALUES (?1, 7, ?2, pet_checksum(?1, 7, ?2), fold(?1))`,
  )
  database.exec('BEGIN')
  for (let number = 1; number <= count; number += 1) {
    insert.run(`Animal ${number}`, PET_STATUSES[number % 3] as string)
  }
  database.exec('COMMIT')
}

/** Forgets one animal in the index, and counts five that are not there. */
function spoil(folder: string): void {
  using database = connect(databaseFile(folder))
  database.prepare('DELETE FROM pet_search WHERE rowid = ?').run(DEEP)
  for (const table of ['pet_count', 'pet_total']) {
    database.exec(`UPDATE ${table} SET animals = animals + 5 WHERE status = 'available'`)
  }
}

function progressOf(folder: string): { counted_to: bigint; indexed_to: bigint } {
  using database = connect(databaseFile(folder))
  const row = database.prepare('SELECT counted_to, indexed_to FROM pet_progress').get()
  return { ...(row as ReturnType<typeof progressOf>) }
}

async function findingOf(folder: string) {
  const findings = await examine({ PETSTORE_DATA: folder }, Date.now())
  const found = findings.find(({ check }) => check === 'index')
  assert.ok(found)
  return found
}
