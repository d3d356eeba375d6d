import { statSync } from 'node:fs'

/**
 * Remembers which file a path leads to now. What is returned tells whether the path still leads to it: a file that was deleted or
 * replaced can be written through an open connection as before, and everything so written is lost.
 */
export function rememberFile(path: string): () => boolean {
  const { dev, ino } = statSync(path, { bigint: true })
  return () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false })
    return now?.dev === dev && now.ino === ino
  }
}
