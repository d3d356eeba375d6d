import { DatabaseSync } from 'node:sqlite'
import { generateKey } from '../src/domain/api-key.ts'
import { hashSecret, hintOf } from '../src/domain/secret.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { costOf } from './cost-of-calls.ts'
import { eachKeyOnce } from './load-by-keys.ts'
import { memoryOf } from './process-figures.ts'
import { startPetstore } from './program.ts'
import { stock } from './stock.ts'

const ANIMALS = 1_000
/** At most this many keys call, each once. */
const MAX_CALLING = 100_000
/** The cost of fewer keys is lost in the noise. */
const MIN_CALLING = 1_000
const CONNECTIONS = 64

/** Measures calls by one busy key, calls by many keys that call once, a start, and the memory of each. */
export async function measureCallsByKeys(keys: number): Promise<Record<string, number>> {
  using stocked = await stock(ANIMALS)
  const calling = insertKeys(stocked.folder, keys)
  await using service = await startPetstore(stocked)
  const started = memoryOf(service.pid)
  const figures = {
    'start, ms': service.startMs,
    'memory after the start, MB': started,
    'list, always the same key, µs': await costOf(service, { key: stocked.key, paths: ['/v1/pets'] }),
  }
  const [before, cpuBefore] = [memoryOf(service.pid), service.cpuSeconds()]
  if (calling.length >= MIN_CALLING) {
    await eachKeyOnce({ url: service.url, keys: calling, connections: CONNECTIONS, status: 200 })
  }
  const each = (value: number) => (calling.length >= MIN_CALLING ? (value * 1e6) / calling.length : Number.NaN)
  return {
    ...figures,
    'list, each time another key, µs': each(service.cpuSeconds() - cpuBefore),
    'memory of a key that has called, bytes': each(memoryOf(service.pid) - before),
  }
}

/** Gives each key its own account. Returns the keys that will call. */
function insertKeys(folder: string, keys: number): string[] {
  using database = new DatabaseSync(databaseFile(folder))
  const account = database.prepare(
    `INSERT INTO account (name, name_key, plan, per_minute, per_day, created_at) VALUES (?1, ?1, 'pro', 300, 10000, 0)`,
  )
  const key = database.prepare('INSERT INTO api_key (account_id, hash, hint, created_at) VALUES (?, ?, ?, 0)')
  const calling: string[] = []
  database.exec('BEGIN')
  for (let number = 1; number <= keys; number += 1) {
    const secret = generateKey('production')
    const { lastInsertRowid } = account.run(`partner ${number}`)
    key.run(lastInsertRowid, hashSecret(secret), hintOf(secret))
    if (calling.length < MAX_CALLING) calling.push(secret)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  return calling
}
