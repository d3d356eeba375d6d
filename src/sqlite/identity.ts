import { existsSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Which file it is, wherever it lies. */
export interface FileIdentity {
  dev: bigint
  ino: bigint
}

/** The files of an open store, and which files they were when it was opened. */
export type KnownFiles = readonly { path: string; identity: FileIdentity }[]

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

/** Remembers the database and the log beside it. A connection that has read must be open: while it is, both stay the same files. */
export function knownFiles(database: string): KnownFiles {
  return [database, logFile(database)].map(path => ({ path, identity: identityOf(path) }))
}

/** @throws Error when one of the files is no longer at its path */
export function ensureUnchanged(files: KnownFiles): void {
  const lost = files.find(({ path, identity }) => !leadsTo(path, identity))
  if (lost) throw new Error(`The file ${lost.path} was deleted or replaced while it was open; restart the service.`)
}

/** The write-ahead log: what was committed is there until it is brought into the database. SQLite has it where a link leads to. */
export function logFile(database: string): string {
  return `${whereLinkLeads(database)}-wal`
}

/** The path itself, or where it leads as a link, which may be nowhere yet. */
export function whereLinkLeads(path: string): string {
  try {
    return existsSync(path) ? realpathSync(path) : resolve(dirname(path), readlinkSync(path))
  } catch {
    return path
  }
}
