import { closeSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
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

/** Runs SQL on any database file. */
export function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** Corrupts pages in the middle of a file. */
export function scribble(file: string): void {
  const opened = openSync(file, 'r+')
  for (let page = 5; page < 25; page += 1) writeSync(opened, Buffer.alloc(2_000, 0x5a), 0, 2_000, page * 4_096)
  closeSync(opened)
}
