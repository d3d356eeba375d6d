import { statfsSync, statSync } from 'node:fs'
import { formatBytes } from '../domain/bytes.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import type { Finding } from './finding.ts'
import { nearestFolder } from './folder.ts'

const MIB = 1024 ** 2
const FAIL_BELOW_BYTES = 100 * MIB
const WARN_BELOW_BYTES = 1024 * MIB
const WARN_BELOW_SHARE = 0.1

/** Checks the size of the store, and whether its disk has enough space. */
export function checkDisk(folder: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(nearestFolder(folder))
  const file = databaseFile(folder)
  const store = `The store takes ${describeSize(file)}, its log ${describeSize(`${file}-wal`)}`
  const { outcome, words } = judgeRoom(bavail * bsize, blocks * bsize)
  return { check: 'disk', outcome, message: `${store}; ${words}.` }
}

/** @param freeBytes available to this user */
export function judgeRoom(freeBytes: number, totalBytes: number): { outcome: Finding['outcome']; words: string } {
  const words = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free`
  if (freeBytes < FAIL_BELOW_BYTES)
    return { outcome: 'fail', words: `only ${words}: free up space, or writes will fail` }
  if (freeBytes < WARN_BELOW_BYTES || freeBytes < totalBytes * WARN_BELOW_SHARE) {
    return { outcome: 'warn', words: `only ${words}: free up space soon` }
  }
  return { outcome: 'ok', words }
}

/** A file that this user may not access has an unknown size. */
function describeSize(file: string): string {
  try {
    return formatBytes(statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  } catch {
    return 'an unknown size'
  }
}
