import { conflict } from '../../domain/errors.ts'
import { findFile } from '../../files/find-file.ts'
import { DamagedStore, damaged, toUserError } from '../sqlite-errors.ts'
import { openReadOnly } from './inspect.ts'

/**
 * Prevents a service from starting on a truncated file. A file that ends before its last page is checked completely, because that page may
 * be in the log after a crash.
 * @throws UserError when the file is truncated or cannot be read
 */
export function ensureNotCutShort(file: string): void {
  const size = findFile(file)?.size ?? 0
  if (size === 0) return
  try {
    using database = openReadOnly(file)
    const { bytes } = database
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: bigint }
    if (bytes <= size) return
    const { quick_check: finding } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string }
    if (finding !== 'ok') throw damaged(file, finding)
  } catch (error) {
    const userError = toUserError(file, error)
    if (!(userError instanceof DamagedStore)) throw userError
    throw conflict(`${userError.message} It may have been cut short; restore a backup.`)
  }
}
