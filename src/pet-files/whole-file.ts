import { createWriteStream, realpathSync, type Stats, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { Mistake } from '../domain/errors.ts'

/**
 * Writes a file that is there, on the disk, when all of it is written, and not before: until then it stands beside its place under another
 * name, and is removed if anything fails.
 * @throws Mistake when it cannot be written there, or is there already and must not be replaced
 */
export async function writeWholeFile(
  file: string,
  { replace }: { replace: boolean },
  write: (output: Writable) => Promise<void>,
): Promise<void> {
  const place = findPlace(file, replace)
  const begun = join(dirname(place), `.${basename(place)}.${process.pid}.part`)
  try {
    await write(createWriteStream(begun, { flags: 'wx', flush: true }))
    findPlace(file, replace)
    await rename(begun, place)
    await flushFolder(dirname(place))
  } catch (error) {
    await rm(begun, { force: true })
    throw explained(error, file)
  }
}

/** Where the file itself will be: behind a symbolic link, not in place of it. */
function findPlace(file: string, replace: boolean): string {
  const there = find(file)
  if (!there) return file
  if (!there.isFile())
    throw new Mistake('conflict', `${file} is not a file; name another one, or - for standard output.`)
  if (!replace) throw new Mistake('conflict', `The file ${file} is there already; name another one, or say --force.`)
  return realpathSync(file)
}

function find(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw explained(error, file)
  }
}

/** So that the new name, too, survives a loss of power. Windows has no such thing. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function explained(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (!code || !syscall) return error
  return new Mistake('invalid', `The file ${file} cannot be written (${code}); name another place.`)
}
