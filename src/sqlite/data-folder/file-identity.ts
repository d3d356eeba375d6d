import { statSync } from 'node:fs'
import { logFile } from './store-files.ts'

/** Identifies a file, wherever it is moved. */
interface FileIdentity {
  dev: bigint
  ino: bigint
}

/** The files of an open store, as of when it was opened. */
export type OpenFiles = readonly { path: string; identity: FileIdentity }[]

export function identityOf(path: string): FileIdentity {
  const { dev, ino } = statSync(path, { bigint: true })
  return { dev, ino }
}

/**
 * Whether the file is still at this path. An open connection can still write to a file that was deleted or replaced, and everything it
 * writes is lost.
 */
export function isFileAt(path: string, { dev, ino }: FileIdentity): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false })
  return now?.dev === dev && now.ino === ino
}

/** Identifies the database and its log. A connection that has read must be open: it keeps both files in place. */
export function identifyFiles(database: string): OpenFiles {
  return [database, logFile(database)].map(path => ({ path, identity: identityOf(path) }))
}

/** @throws Error when one of the files is no longer at its path */
export function ensureFilesInPlace(files: OpenFiles): void {
  const lost = files.find(({ path, identity }) => !isFileAt(path, identity))
  if (lost) throw new Error(`The file ${lost.path} was deleted or replaced while it was open; restart the service.`)
}
