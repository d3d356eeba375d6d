import { statSync } from 'node:fs'

/** Which file it is, wherever it lies. */
export interface FileIdentity {
  dev: bigint
  ino: bigint
}

/** Of the file that a path leads to now. */
export function identityOf(path: string): FileIdentity {
  const { dev, ino } = statSync(path, { bigint: true })
  return { dev, ino }
}

/**
 * Whether a path still leads to that file: one that was deleted or replaced can be written through an open connection as before, and
 * everything so written is lost.
 */
export function leadsTo(path: string, { dev, ino }: FileIdentity): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false })
  return now?.dev === dev && now.ino === ino
}
