import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../domain/errors.ts'
import { syncFolder } from '../../files/sync-to-disk.ts'
import { createWhole } from './create-whole.ts'

/** The store in a file, and how far it has progressed: its ids only increase. */
export interface StoreState {
  /** Derived from the secret of the store. A store and its backups have the same value. */
  store: string
  /** The highest id ever given to an animal. */
  pet: bigint
  /** The highest id ever given to an audit entry. */
  audit: bigint
}

/** The state of a database without any tables. */
export const NO_STORE: StoreState = { store: '', pet: 0n, audit: 0n }

export function stateOf(database: DatabaseSync): StoreState {
  const { secret } = database.prepare('SELECT cursor_secret AS secret FROM store').get() as { secret: Uint8Array }
  const newest = database.prepare('SELECT max(seq) AS id FROM sqlite_sequence WHERE name = ?')
  const newestOf = (table: string) => BigInt((newest.get(table) as { id: bigint | number | null }).id ?? 0)
  const store = createHash('sha256').update('petstore store ').update(secret).digest('hex').slice(0, 32)
  return { store, pet: newestOf('pet'), audit: newestOf('audit') }
}

/**
 * A folder records the last store that was used in it. So neither another store can replace it unnoticed, nor an older copy, which would
 * assign ids twice. A folder without a record, such as one of an older version, accepts any store.
 * @param readState of the store in the folder; undefined if there was none
 * @throws UserError when it is not the last store, or an older state of it
 */
export function ensureLastStore(file: string, readState: () => StoreState | undefined): void {
  // Before the state: another process may change the store now, and record that.
  const last = readLast(file)
  const state = readState()
  if (!last) return
  if (!state) {
    // A store is recorded once it has its name, so another process has just created this one.
    if (existsSync(file)) return
    throw conflict(
      `The store ${file} is missing. Put it back, or restore a backup. To start with a new store, delete ${recordOf(file)}.`,
    )
  }
  if (state.store === last.store && !isBehind(state, last)) return
  const finding = state.store === last.store ? 'is older than the store' : 'is not the store'
  throw conflict(
    `The store ${file} ${finding} last used here: the file was replaced. Put the right file back, or restore a backup with petstore restore. To use this file anyway, delete ${recordOf(file)}.`,
  )
}

/** Records the progress of a store, unless the record is for another store or further ahead. */
export function recordLastStore(file: string, readState: () => StoreState): void {
  try {
    const state = readState()
    const last = readLast(file)
    if (last && (last.store !== state.store || !isBehind(last, state))) return
    const record = JSON.stringify({ ...state, pet: String(state.pet), audit: String(state.audit) })
    createWhole(recordOf(file), part => writeFileSync(part, `${record}\n`))
  } catch {
    // For example, a full disk. The old record remains valid, and the next process that opens the store tries again.
  }
}

/** Must come before another store is deliberately put in the folder. */
export function forgetLastStore(file: string): void {
  rmSync(recordOf(file), { force: true })
  syncFolder(dirname(file))
}

function recordOf(file: string): string {
  return `${file}.known`
}

function isBehind(one: StoreState, other: StoreState): boolean {
  return one.pet < other.pet || one.audit < other.audit
}

/** Also undefined if the record cannot be read: that must not prevent the use of a sound store. */
function readLast(file: string): StoreState | undefined {
  try {
    const { store, pet, audit } = JSON.parse(readFileSync(recordOf(file), 'utf8')) as Record<keyof StoreState, string>
    return { store, pet: BigInt(pet), audit: BigInt(audit) }
  } catch {
    return undefined
  }
}
