import type { Dirent } from 'node:fs'
import { formatTime } from '../../domain/time.ts'

/** A backup that a running service has written. */
export interface ScheduledBackup {
  name: string
  /** When it was begun, in Unix milliseconds. */
  at: number
}

/**
 * A name such as petstore-1a2b3c4d-2027-03-01T12-00-00Z.db. It identifies the store, so that several may use one folder, and the names of one
 * store sort by time.
 * @param store see `stateOf`
 */
export function scheduledName(store: string, at: number): string {
  return `petstore-${store.slice(0, 8)}-${formatTime(at).replaceAll(':', '-')}.db`
}

/** The scheduled backups of a store among the entries of a folder, oldest first. Nothing else has such a name. */
export function scheduledBackupsOf(entries: readonly Dirent[], store: string): ScheduledBackup[] {
  return entries
    .filter(entry => entry.isFile())
    .map(({ name }) => ({ name, at: timeIn(name) }))
    .filter(({ name, at }) => !Number.isNaN(at) && name === scheduledName(store, at))
    .toSorted((one, other) => one.at - other.at)
}

/** The newest one. What is dated in the future was written while the clock was wrong, so its age is unknown. */
export function newestOf(backups: readonly ScheduledBackup[], now: number): ScheduledBackup | undefined {
  return backups.findLast(({ at }) => at <= now)
}

function timeIn(name: string): number {
  const [, date, time = ''] = /(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z\.db$/.exec(name) ?? []
  return Date.parse(`${date}T${time.replaceAll('-', ':')}Z`)
}
