import { closeSync, fsyncSync, openSync } from 'node:fs'
import { conflict } from '../domain/errors.ts'
import { systemReason } from '../domain/system-error.ts'

/**
 * Returns when the contents of a file are on disk.
 * @throws UserError when the disk does not accept them
 */
export function syncFile(file: string): void {
  // Windows flushes only files that are open for writing.
  sync(file, 'r+')
}

/** Of file systems that cannot sync folders, such as some network drives. */
const NOT_POSSIBLE = ['EINVAL', 'ENOTSUP']

/**
 * Returns when the names of the files in a folder are on disk, as far as its file system can do that. Windows has no such operation.
 * @throws UserError when the disk does not accept them
 */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r', NOT_POSSIBLE)
}

function sync(path: string, flags: string, ignored: readonly string[] = []): void {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } catch (error) {
    if (ignored.includes((error as NodeJS.ErrnoException).code as string)) return
    throw conflict(`${path} could not be synced to disk (${systemReason(error)}).`)
  } finally {
    closeSync(opened)
  }
}
