import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Mistake } from '../domain/errors.ts'
import { partOf } from '../files/parts.ts'
import { syncFolder } from '../files/sync-to-disk.ts'

/** Which store a file holds, and how far it has come: its ids only ever rise. */
export interface StoreState {
  /** Made from the secret that every store has of its own. A backup has the same. */
  store: string
  /** The highest id that an animal was ever given. */
  pet: bigint
  /** The same of entries in the audit log. */
  audit: bigint
}

/** @param database a store of whatever version */
export function stateOf(database: DatabaseSync): StoreState {
  const { secret } = database.prepare('SELECT cursor_secret AS secret FROM store').get() as { secret: Uint8Array }
  const newest = database.prepare('SELECT max(seq) AS id FROM sqlite_sequence WHERE name = ?')
  const newestOf = (table: string) => BigInt((newest.get(table) as { id: bigint | number | null }).id ?? 0)
  const store = createHash('sha256').update('petstore store ').update(secret).digest('hex').slice(0, 32)
  return { store, pet: newestOf('pet'), audit: newestOf('audit') }
}

/**
 * A folder remembers the store that it had, so that no other is taken for it, and no older copy, which would give ids twice. A folder
 * that remembers none, such as one of an older version, takes the store that is there.
 * @param state of the store that is in the folder now; undefined where there is none
 * @throws Mistake when that is not the one it had
 */
export function ensureKnown(file: string, state: StoreState | undefined): void {
  const known = recall(file)
  if (!known) return
  if (!state) {
    throw new Mistake(
      'conflict',
      `The store ${file} is missing. Put it back, or restore a backup. To begin with a new store, delete ${memoryOf(file)}.`,
    )
  }
  if (state.store === known.store && !isBehind(state, known)) return
  const found = state.store === known.store ? 'is older than the one' : 'is not the one'
  throw new Mistake(
    'conflict',
    `The store ${file} ${found} that was used here last: another file was put in its place. Put the right one back, or use petstore restore to go back to a backup. To use this one all the same, delete ${memoryOf(file)}.`,
  )
}

/** Remembers how far a store has come, unless the folder remembers more, or another one. */
export function remember(file: string, look: () => StoreState): void {
  try {
    const state = look()
    const known = recall(file)
    if (known && (known.store !== state.store || !isBehind(known, state))) return
    write(memoryOf(file), JSON.stringify({ ...state, pet: String(state.pet), audit: String(state.audit) }))
  } catch {
    // A full disk, say: what was remembered before stays true, and the next one to open the store tries again.
  }
}

/** Before another store is meant to be put in the folder. */
export function forget(file: string): void {
  rmSync(memoryOf(file), { force: true })
  syncFolder(dirname(file))
}

function memoryOf(file: string): string {
  return `${file}.known`
}

function isBehind(one: StoreState, other: StoreState): boolean {
  return one.pet < other.pet || one.audit < other.audit
}

/** Nothing also where it cannot be read: it is there to help, and must not keep a sound store from being used. */
function recall(file: string): StoreState | undefined {
  try {
    const { store, pet, audit } = JSON.parse(readFileSync(memoryOf(file), 'utf8')) as Record<string, unknown>
    if (typeof store !== 'string' || typeof pet !== 'string' || typeof audit !== 'string') return undefined
    return { store, pet: BigInt(pet), audit: BigInt(audit) }
  } catch {
    return undefined
  }
}

function write(place: string, text: string): void {
  const part = partOf(place)
  try {
    writeFileSync(part, `${text}\n`, { mode: 0o600, flush: true })
    renameSync(part, place)
  } finally {
    rmSync(part, { force: true })
  }
  syncFolder(dirname(place))
}
