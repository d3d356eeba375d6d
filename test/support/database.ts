import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Opens the one database file in a service's folder, as another process may. */
export function openDatabase(folder: string): DatabaseSync {
  const path = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .find(file => statSync(file).isFile() && readFileSync(file).toString('latin1', 0, 15) === 'SQLite format 3')
  if (path === undefined) throw new Error(`no database in ${folder}`)
  return new DatabaseSync(path, { timeout: 5_000 })
}
