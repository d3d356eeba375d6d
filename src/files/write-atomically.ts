import { closeSync, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { conflict, type UserError } from '../domain/errors.ts'
import { systemReason } from '../domain/system-error.ts'
import { giveToOwner } from './give-to-owner.ts'
import { nameCompleted, partialFile, removeAbandoned } from './partial-file.ts'
import { syncFolder } from './sync-to-disk.ts'

interface WriteOptions {
  /** Replace the file if it exists: what `--force` says; left out where a command has no such option. */
  replace?: boolean
  /** The permissions of the file; by default those that the process gives to new files. */
  mode?: number
  /** If root writes the file into a folder of this user, it becomes the user's. */
  giveTo?: number
  /** Throws a UserError if the file must not be written for another reason. */
  ensureAllowed?(file: string): void
}

/**
 * Writes a file so that it either appears complete and on disk, or not at all. Until it is complete, it has another name in the same
 * folder; if anything fails, it is removed. For a symbolic link, the file that it points to is replaced.
 * @param write fills the empty file with the given name, and syncs it to disk
 * @throws UserError when the file cannot be written, or exists and must not be replaced
 */
export async function writeAtomically<Result>(
  file: string,
  { replace, mode, giveTo, ensureAllowed = () => {} }: WriteOptions,
  write: (partial: string) => Promise<Result>,
): Promise<Result> {
  const target = findTarget(file, replace)
  ensureAllowed(target)
  const partial = partialFile(target)
  try {
    removeAbandoned(dirname(target))
    const opened = openSync(partial, 'wx', mode)
    if (statSync(dirname(target)).uid === giveTo) giveToOwner(opened, partial)
    closeSync(opened)
  } catch (error) {
    throw toUserError(error, file)
  }
  try {
    const result = await write(partial)
    ensureAllowed(findTarget(file, replace))
    if (replace) await rename(partial, target)
    else nameCompleted(partial, target)
    syncFolder(dirname(target))
    return result
  } catch (error) {
    throw toUserError(error, file, replace)
  } finally {
    await rm(partial, { force: true })
  }
}

/** Follows a symbolic link. */
function findTarget(file: string, replace?: boolean): string {
  const found = find(file)
  if (!found) return resolve(file)
  if (!found.isFile()) throw conflict(`${file} is not a file; choose another name.`)
  if (!replace) throw alreadyExists(file, replace)
  return realpathSync(file)
}

function find(file: string): Stats | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found || !lstatSync(file, { throwIfNoEntry: false })) return found
  } catch (error) {
    throw toUserError(error, file)
  }
  throw conflict(`${file} is a broken link; choose another name.`)
}

function alreadyExists(file: string, replace?: boolean): UserError {
  const others = replace === undefined ? '' : ', or add --force'
  return conflict(`The file ${file} already exists; choose another name${others}.`)
}

function toUserError(error: unknown, file: string, replace?: boolean): unknown {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return alreadyExists(file, replace)
  const reason = systemReason(error)
  if (reason === undefined) return error
  return conflict(`The file ${file} cannot be written (${reason}); choose another path.`)
}
