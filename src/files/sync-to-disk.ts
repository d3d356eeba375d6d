import { closeSync, fsyncSync, openSync } from 'node:fs'
import { Mistake } from '../domain/errors.ts'

/**
 * Returns when what was written into a file is on the disk.
 * @throws Mistake when the disk does not take it
 */
export function syncFile(file: string): void {
  // Windows flushes only what is open for writing.
  sync(file, 'r+')
}

/**
 * Returns when the names that a folder has are on the disk. Windows has no such thing.
 * @throws Mistake when the disk does not take it
 */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r')
}

function sync(path: string, flags: string): void {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } catch (error) {
    throw new Mistake(
      'conflict',
      `What was written to ${path} is not on the disk (${(error as NodeJS.ErrnoException).code}).`,
    )
  } finally {
    closeSync(opened)
  }
}
