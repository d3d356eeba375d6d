import { type Stats, statSync } from 'node:fs'
import { Mistake } from '../domain/errors.ts'

/**
 * What stands at a path; undefined if nothing does.
 * @throws Mistake when this user may not look
 */
export function findFile(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw new Mistake('invalid', `The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
