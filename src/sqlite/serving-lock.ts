import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Mistake } from '../domain/errors.ts'

/**
 * Makes sure that one service at a time counts calls for a folder: two of them would each admit the full limits. The operating
 * system holds the lock, so it ends with the process, however that ends.
 * @returns what gives the lock back
 * @throws Mistake when another service has it
 */
export function lockForServing(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'serving.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new Mistake(
      `Another service is running on the folder ${folder}; stop it, or set PETSTORE_DATA to another folder.`,
    )
  }
  return () => lock.close()
}
