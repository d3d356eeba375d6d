import { closeSync, fsyncSync, openSync } from 'node:fs'
import { Mistake } from '../domain/errors.ts'

/**
 * Returns when what was written into a file, or which names a folder has, is on the disk.
 * @throws Mistake when the disk does not take it
 */
export function syncToDisk(path: string): void {
  const opened = openSync(path, 'r')
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
