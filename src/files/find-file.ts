import { type Stats, statSync } from 'node:fs'
import { conflict } from '../domain/errors.ts'
import { systemReason } from '../domain/system-error.ts'

/**
 * The file or folder at a path; undefined if there is none.
 * @throws UserError when this user may not access the path
 */
export function findFile(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw conflict(`The file ${file} cannot be read (${systemReason(error)}).`)
  }
}
