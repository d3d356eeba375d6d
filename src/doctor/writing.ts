import { Mistake } from '../domain/errors.ts'
import { databaseFile } from '../sqlite/connection.ts'
import { probeDisk } from '../sqlite/probe-disk.ts'
import { isHeldForWriting } from '../sqlite/write-lock.ts'
import type { Finding } from './finding.ts'

/** Whether the store could be written now: its disk takes a file, and no other program holds the lock. */
export function checkWriting(folder: string): Finding {
  const file = databaseFile(folder)
  try {
    probeDisk(folder)
    if (!isHeldForWriting(file))
      return finding('ok', 'The disk takes what is written, and no other process holds the write lock.')
    return finding('fail', `Another program holds the store locked for writing: end it (fuser ${file} tells which).`)
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    return finding('fail', error.message)
  }
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: 'writing', outcome, message }
}
