import { closeSync, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Mistake } from '../domain/errors.ts'
import { nameNew, partOf, removeLeftParts } from './parts.ts'
import { syncFolder } from './sync-to-disk.ts'

export interface Place {
  /** Replace the file if it is there. */
  replace: boolean
  /** The permissions of the file; what the process gives to all its files if not said. */
  mode?: number
  /** Throws a Mistake where this place must not be written, for a reason of its own. */
  ensureFree?(place: string): void
}

/**
 * Makes a file that is there, on the disk, when all of it is written, and not before: until then it stands beside its place under another
 * name, and is removed if anything fails. Where a symbolic link leads to a file, that file is replaced and the link stays.
 * @param write fills the file of the name that it is given, which is there and empty, and brings it to the disk
 * @throws Mistake when it cannot be written there, or is there already and must not be replaced
 */
export async function writeWholeFile<Result>(
  file: string,
  { replace, mode, ensureFree = () => {} }: Place,
  write: (begun: string) => Promise<Result>,
): Promise<Result> {
  const place = findPlace(file, replace)
  ensureFree(place)
  const begun = partOf(place)
  try {
    removeLeftParts(dirname(place))
    closeSync(openSync(begun, 'wx', mode))
  } catch (error) {
    throw explained(error, file)
  }
  try {
    const result = await write(begun)
    ensureFree(findPlace(file, replace))
    if (replace) await rename(begun, place)
    else nameNew(begun, place)
    syncFolder(dirname(place))
    return result
  } catch (error) {
    throw explained(error, file)
  } finally {
    await rm(begun, { force: true })
  }
}

/** Where the file itself will be: behind a symbolic link, not in place of it. */
function findPlace(file: string, replace: boolean): string {
  const there = find(file)
  if (!there) return resolve(file)
  if (!there.isFile()) throw new Mistake('conflict', `${file} is not a file; name another one.`)
  if (!replace) throw existsAlready(file)
  return realpathSync(file)
}

function find(file: string): Stats | undefined {
  try {
    const there = statSync(file, { throwIfNoEntry: false })
    if (there || !lstatSync(file, { throwIfNoEntry: false })) return there
  } catch (error) {
    throw explained(error, file)
  }
  throw new Mistake('conflict', `${file} is a link that leads to no file; name another one.`)
}

function existsAlready(file: string): Mistake {
  return new Mistake('conflict', `The file ${file} is there already; name another one, or add --force.`)
}

function explained(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return existsAlready(file)
  if (!code || !syscall) return error
  return new Mistake('invalid', `The file ${file} cannot be written (${code}); name another place.`)
}
