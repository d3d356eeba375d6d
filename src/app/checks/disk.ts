import { statfsSync, statSync } from 'node:fs'
import { formatBytes } from '../../domain/bytes.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

const MIB = 1024 ** 2
const FAIL_BELOW_BYTES = 100 * MIB
const WARN_BELOW_BYTES = 1024 * MIB
const WARN_BELOW_SHARE = 0.1

export interface Space {
  /** Available to this user. */
  freeBytes: number
  totalBytes: number
}

export function spaceOf(folder: string): Space {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Judges the free space on a disk. The message is the end of a sentence. */
export function judgeSpace({ freeBytes, totalBytes }: Space): Verdict {
  const words = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free`
  if (freeBytes < FAIL_BELOW_BYTES) return fail(`only ${words}: free up space, or writes will fail`)
  const isLow = freeBytes < WARN_BELOW_BYTES || freeBytes < totalBytes * WARN_BELOW_SHARE
  return isLow ? warn(`only ${words}: free up space soon`) : ok(words)
}

/** A file that this user may not access has an unknown size. */
export function describeSize(file: string): string {
  try {
    return formatBytes(statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  } catch {
    return 'an unknown size'
  }
}
