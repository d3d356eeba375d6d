import { accessSync, constants, existsSync, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UserError } from '../../domain/errors.ts'
import { shellWord } from '../../domain/shell-quote.ts'
import { explainOwnership } from '../../files/explain-ownership.ts'
import { probeDisk } from '../../files/probe-disk.ts'
import { findLeftovers } from '../../sqlite/data-folder/leftovers.ts'
import { findLostFile } from '../../sqlite/data-folder/served-files.ts'
import { databaseFile, folderOfStore, followLink, indexFile, logFile } from '../../sqlite/data-folder/store-files.ts'
import { isServing, lockFile } from '../../sqlite/serving-lock.ts'
import { DamagedStore } from '../../sqlite/sqlite-errors.ts'
import { isHeldForWriting } from '../../sqlite/write-lock.ts'
import { COMMAND } from '../command-name.ts'
import { check } from './check.ts'
import { describeSize, judgeSpace, spaceOf } from './disk.ts'
import { findObstacle } from './store.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

export const FOLDER_CHECKS = [
  // Whether it is usable, and closed to other users.
  check('folder', 'folder', folder => {
    const found = look(folder)
    if (found === 'hidden') {
      return fail(`This user cannot access the folder ${folder}; ${remedy(dirname(resolve(folder)))}.`)
    }
    if (!found) {
      // No folder can be created in its place.
      if (lstatSync(folder, { throwIfNoEntry: false })) return fail(`The folder ${folder} ${leadsNowhere(folder)}`)
      const parent = nearestFolder(folder)
      return whyRefused(parent, USE)
        ? fail(`The folder ${folder} cannot be created: ${parent} is not writable; set PETSTORE_DATA.`)
        : ok(`There is no folder ${folder} yet; it is created when needed.`)
    }
    if (!found.isDirectory()) return fail(`${folder} is not a folder; set PETSTORE_DATA.`)
    if (whyRefused(folder, constants.W_OK) === 'EROFS') {
      return fail(`The folder ${folder} cannot be written to (the file system is read-only); check its disk.`)
    }
    if (whyRefused(folder, USE)) {
      return fail(`This user cannot enter the folder ${folder} and write to it; ${remedy(folder)}.`)
    }
    const database = databaseFile(folder)
    if (!existsSync(folderOfStore(folder))) return fail(`The file ${database} ${leadsNowhere(database)}`)
    const files = [database, logFile(database), indexFile(database), lockFile(folder)]
    const locked = files.filter(file => existsSync(file) && whyRefused(file, constants.R_OK | constants.W_OK))
    if (locked.length > 0) {
      return locked.map(file =>
        fail(explainOwnership(file) ?? `${file} cannot be read and written by this user; ${remedy(file)}.`),
      )
    }
    const open = [folder, database].filter(existsSync).flatMap(checkOpenness)
    return open.length > 0 ? open : ok(`The folder ${folder} is writable, and closed to other users.`)
  }),

  check('leftovers', 'folder', folder => {
    try {
      const origin = 'was left by a command that was killed, or that is still running'
      return findLeftovers(folder).map(path => warn(`${path} ${origin}. The next start of the service removes it.`))
    } catch {
      // The first check reports that the folder is missing or cannot be read.
      return []
    }
  }),

  // Whether the store is intact, and belongs to the deployment in the settings.
  check('store', 'folder', (folder, { holdings, config }) => {
    if (holdings === undefined) return ok(`There is no store in ${folder} yet; it is created when needed.`)
    if (holdings instanceof DamagedStore) {
      return fail(`${holdings.message} Restore a backup: ${COMMAND} restore FILE --force.`)
    }
    if (holdings instanceof UserError) return fail(holdings.message)
    const obstacle = findObstacle(holdings, config, 'PETSTORE_DATA')
    if (obstacle) return fail(obstacle)
    const { animals, accounts, keys } = holdings.counts
    return ok(`The ${holdings.deployment} store is intact (animals: ${animals}, accounts: ${accounts}, keys: ${keys}).`)
  }),

  // Whether the disk accepts a file, and no other process holds the write lock.
  check('writing', 'folder', (folder, { store }) => {
    if (!store) return []
    const file = databaseFile(folder)
    probeDisk(folderOfStore(folder))
    if (!isHeldForWriting(file)) return ok('The disk is writable, and no other process holds the write lock.')
    return fail(`Another process holds the write lock of the store: stop it (fuser ${file} shows its id).`)
  }),

  // The size of the store, and whether its disk has enough space.
  check('disk', 'folder', folder => {
    const file = databaseFile(folder)
    const { outcome, message } = judgeSpace(spaceOf(nearestFolder(folderOfStore(folder))))
    const sizes = `The store takes ${describeSize(file)}, its log ${describeSize(logFile(file))}`
    return { outcome, message: `${sizes}; ${message}.` }
  }),

  // Whether a service is running on the folder, and still has its files.
  check('service', 'folder', folder => {
    const lost = findLostFile(folder)
    if (lost) return fail(`A service is running on ${folder}, but ${lost}.`)
    const users = isServing(folder) ? 'A service, or petstore migrate-store, is' : 'No service is'
    return ok(`${users} running on ${folder}.`)
  }),
]

/** The permissions of users who are neither the owner nor in the group. */
const OTHERS = 0o007

/** Warns of a file or folder that every user of this machine may read or write. */
export function checkOpenness(path: string): Verdict[] {
  if (process.platform === 'win32' || (statSync(path).mode & OTHERS) === 0) return []
  return [warn(`${path} is open to every user of this machine; run chmod o= ${shellWord(path)}`)]
}

/** `hidden`: this user may not look there. */
function look(path: string): Stats | undefined | 'hidden' {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return 'hidden'
  }
}

function leadsNowhere(link: string): string {
  return `is a link to ${followLink(link)}, which is missing; mount its disk, or set PETSTORE_DATA.`
}

/** The folder itself, or its nearest existing ancestor. */
function nearestFolder(folder: string): string {
  const path = resolve(folder)
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

const USE = constants.R_OK | constants.W_OK | constants.X_OK

/** The code of the failure, such as EROFS, if this user may not access a path like that. */
function whyRefused(path: string, access: number): string | undefined {
  try {
    accessSync(path, access)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function remedy(path: string): string {
  return `run this command as the owner of ${path}, or chown it to this user`
}
