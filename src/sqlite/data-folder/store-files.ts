import { existsSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { conflict } from '../../domain/errors.ts'

/** The database: the file in a data folder that contains everything. */
export function databaseFile(folder: string): string {
  return join(folder, 'petstore.db')
}

/** The write-ahead log holds commits until SQLite copies them to the database. It is next to the target of a symbolic link. */
export function logFile(database: string): string {
  return `${followLink(database)}-wal`
}

/** The index of the log, which SQLite keeps in shared memory and deletes when the last process closes the store. */
export function indexFile(database: string): string {
  return `${followLink(database)}-shm`
}

/** The database itself, which may be a link to a file on another disk. */
export function storeFile(folder: string): string {
  return followLink(databaseFile(folder))
}

/** The folder with the database itself, its log and its index. */
export function folderOfStore(folder: string): string {
  return dirname(storeFile(folder))
}

/** The target of a symbolic link, which may not exist yet; any other path unchanged. */
export function followLink(path: string): string {
  try {
    const target = resolve(dirname(path), readlinkSync(path))
    return existsSync(target) ? realpathSync(target) : target
  } catch {
    return path
  }
}

/** The database, SQLite's companion files, the moved marker, the record of the last store, stores that a restore set aside or an upgrade
 * backed up, the lock. */
const STORE_FILES = /^(petstore\.db(-\w+|\.moved|\.known|\.before-(?:restore|upgrade)-.*)?|serving\.lock(-\w+)?)$/

/**
 * Prevents commands from overwriting a file of the store, even through a symbolic or hard link.
 * @throws UserError when the file belongs to the store of this folder
 */
export function ensureNotStoreFile(folder: string, file: string): void {
  if (!existsSync(folder)) return
  const target = existsSync(file) ? realpathSync(file) : resolve(file)
  const isInFolder = existsSync(dirname(target)) && realpathSync(dirname(target)) === realpathSync(folder)
  if ((isInFolder && STORE_FILES.test(basename(target))) || isSameFile(folder, file)) {
    throw conflict(`The file ${file} belongs to the store; choose another name.`)
  }
}

function isSameFile(folder: string, file: string): boolean {
  const found = find(file)
  if (!found) return false
  const inFolder = readdirSync(folder).filter(name => STORE_FILES.test(name))
  const database = databaseFile(folder)
  return [...inFolder.map(name => join(folder, name)), logFile(database), indexFile(database)]
    .map(find)
    .some(own => own?.dev === found.dev && own.ino === found.ino)
}

function find(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
