import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile, type NewPet, type Pet, SETTINGS, SQL, type Status } from './job.ts'

const database = new DatabaseSync(databaseFile)
database.exec(SETTINGS)

const findAccountByHash = database.prepare(SQL.findAccount)
const listAll = database.prepare(SQL.list)
const listByStatus = database.prepare(SQL.listByStatus)
const get = database.prepare(SQL.get)
const create = database.prepare(SQL.create)

export function findAccount(key: string): string | undefined {
  return findAccountByHash.get(hash('sha256', key, 'buffer'))?.account as string | undefined
}

export function listPets(after: number, limit: number, status: Status | undefined): Pet[] {
  const rows = status ? listByStatus.all(after, status, limit) : listAll.all(after, limit)
  return rows as unknown as Pet[]
}

export function findPet(id: number): Pet | undefined {
  return get.get(id) as Pet | undefined
}

export function createPet({ name, categoryId, status }: NewPet): Pet {
  const { id } = create.get(name, categoryId, status) as { id: number }
  return { id, name, categoryId, status }
}
