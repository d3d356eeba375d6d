import { Database } from 'bun:sqlite'
import { databaseFile, type NewPet, type Pet, SETTINGS, SQL, type Status } from './job.ts'

const database = new Database(databaseFile)
database.run(SETTINGS)

const findAccountByHash = database.query<{ account: string }, [Uint8Array]>(SQL.findAccount)
const listAll = database.query<Pet, [number, number]>(SQL.list)
const listByStatus = database.query<Pet, [number, string, number]>(SQL.listByStatus)
const get = database.query<Pet, [number]>(SQL.get)
const create = database.query<{ id: number }, [string, number, string]>(SQL.create)

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
