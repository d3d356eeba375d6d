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

/**
 * Returns when the names of the files in a folder are on disk. Windows has no such operation.
 * @throws UserError when the disk does not accept them
 */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r')
}

function sync(path: string, flags: string): void {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } catch (error) {
    throw conflict(`${path} could not be synced to disk (${systemReason(error)}).`)
  } finally {
    closeSync(opened)
  }
}
