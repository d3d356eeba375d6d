import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Mistake } from '../domain/errors.ts'
import { partOf } from '../files/parts.ts'

/** As much as SQLite writes at least. */
const PROBE_BYTES = 4_096

/**
 * Writes a file beside the store, waits until it is on the disk, and removes it.
 * @throws Mistake when the disk does not take it
 */
export function probeDisk(folder: string): void {
  const probe = partOf(join(folder, 'probe'))
  try {
    writeFileSync(probe, randomBytes(PROBE_BYTES), { mode: 0o600, flush: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Mistake(
      'conflict',
      `The disk of ${folder} cannot be written (${code}); find out whether it is full, read-only or broken.`,
    )
  } finally {
    rmSync(probe, { force: true })
  }
}
