import { Database } from 'bun:sqlite'

/** What every peer does: the service's three operations, for callers with a key, on an SQLite file that is synced to the disk before a 201. */

export const { PORT: port = '3000', DATABASE: databaseFile, LOG: log } = process.env

export const isLogging = log === 'on'

export const STATUSES = ['available', 'pending', 'sold'] as const
export type Status = (typeof STATUSES)[number]

export interface NewPet {
  name: string
  categoryId: number
  status: Status
}

export interface Pet extends NewPet {
  id: number
}

export const MAX_NAME_LENGTH = 255
export const MAX_LIMIT = 100
export const DEFAULT_LIMIT = 20
export const DEFAULT_STATUS = 'available'

/** The limit for the rate-limit packages: too high to reach, so no call is refused. */
export const CALLS_PER_MINUTE = 1_000_000_000

/** The body of every error. */
export function refusal(status: number, code: string, message: string) {
  return { code, message, status }
}

export const INVALID_KEY = refusal(401, 'invalid_api_key', 'Send a valid API key as Authorization: Bearer KEY.')
export const NOT_FOUND = refusal(404, 'pet_not_found', 'No animal has this id.')

/** The link to the next page, if the page is full. */
export function nextLink(pets: readonly Pet[], limit: number, status: Status | undefined): string | undefined {
  const last = pets.at(-1)
  if (!last || pets.length < limit) return undefined
  const filter = status ? `&status=${status}` : ''
  return `</v1/pets?limit=${limit}&after=${last.id}${filter}>; rel="next"`
}

export function keyOf(authorization: string | null | undefined): string {
  return authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : ''
}

const database = new Database(databaseFile)
// WAL with FULL writes each transaction to the disk before it is answered.
database.run('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000')

const COLUMNS = 'SELECT id, name, category_id AS categoryId, status FROM pet'
const findAccountByHash = database.query<{ account: string }, [Uint8Array]>(
  'SELECT account FROM api_key WHERE hash = ?',
)
const listAll = database.query<Pet, [number, number]>(`${COLUMNS} WHERE id > ? ORDER BY id LIMIT ?`)
const listByStatus = database.query<Pet, [number, string, number]>(
  `${COLUMNS} WHERE id > ? AND status = ? ORDER BY id LIMIT ?`,
)
const get = database.query<Pet, [number]>(`${COLUMNS} WHERE id = ?`)
const create = database.query<{ id: number }, [string, number, string]>(
  'INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?) RETURNING id',
)

export function findAccount(key: string): string | undefined {
  return findAccountByHash.get(Bun.SHA256.hash(key) as Uint8Array)?.account
}

export function listPets(after: number, limit: number, status: Status | undefined): Pet[] {
  return status ? listByStatus.all(after, status, limit) : listAll.all(after, limit)
}

export function findPet(id: number): Pet | undefined {
  return get.get(id) ?? undefined
}

export function createPet({ name, categoryId, status }: NewPet): Pet {
  const { id } = create.get(name, categoryId, status) as { id: number }
  return { id, name, categoryId, status }
}
