import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LIBRARIES = ['x86_64', 'aarch64'].map(arch => `/usr/lib/${arch}-linux-gnu/faketime/libfaketimeMT.so.1`)

export interface FakedClock {
  /** The environment of the programs that have this clock. */
  variables: Record<string, string>
  /** Lets the clock step, to so many seconds from the real time. */
  set(seconds: number): void
}

/**
 * A clock for other programs, which a test sets. It shows the real time first. Their monotonic clock stays as it is.
 * @param folder for the file in which the library reads the time
 * @returns undefined if libfaketime is not installed
 */
export function makeFakedClock(folder: string): FakedClock | undefined {
  const library = LIBRARIES.find(existsSync)
  if (!library) return undefined
  const file = join(folder, 'faketime')
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
    renameSync(`${file}.new`, file)
  }
  set(0)
  const variables = {
    // The allocator that Debian links to Redis reads the clock before the library is ready.
    LD_PRELOAD: `${library}:libc.so.6`,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { variables, set }
}
