import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from '../domain/errors.ts'
import { systemReason } from '../domain/system-error.ts'
import { partialFile } from './partial-file.ts'

/** SQLite's smallest write. */
const PROBE_BYTES = 4_096

/**
 * Writes a file into a folder, waits until it is on disk, and removes it.
 * @throws UserError when the disk does not accept it
 */
export function probeDisk(folder: string): void {
  const probe = partialFile(join(folder, 'probe'))
  try {
    writeFileSync(probe, randomBytes(PROBE_BYTES), { mode: 0o600, flush: true })
  } catch (error) {
    throw conflict(
      `The disk of ${folder} cannot be written to (${systemReason(error)}); check whether it is full, read-only or broken.`,
    )
  } finally {
    rmSync(probe, { force: true })
  }
}
