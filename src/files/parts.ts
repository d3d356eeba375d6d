import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A file is written as a part, under a name of its own beside its place, until all of it is there. */

/** A part whose process cannot be asked, as it ran on another machine or in another container, is left over after this time. */
const LEFT_AFTER_MS = 24 * 60 * 60 * 1_000

const HOST = Buffer.from(hostname()).toString('hex').slice(-16)
const PART = /^\..+\.petstore-([0-9a-f]*)-(\d+)-[0-9a-f]{8}\.part(?:-\w+)?$/

/** A new name beside a place, which says whose it is. */
export function partOf(place: string): string {
  const owner = `petstore-${HOST}-${process.pid}`
  return join(dirname(place), `.${basename(place)}.${owner}-${randomBytes(4).toString('hex')}.part`)
}

/** The parts in a folder whose processes have ended without removing them. */
export function leftParts(folder: string, now = Date.now()): string[] {
  return readdirSync(folder)
    .filter(name => PART.test(name))
    .map(name => join(folder, name))
    .filter(part => isLeft(part, now))
}

/** Removes what processes that were killed have left in a folder, as far as this user may. */
export function removeLeftParts(folder: string): void {
  try {
    for (const part of leftParts(folder)) rmSync(part, { force: true })
  } catch {
    // Whatever is wrong with the folder, the file that is to be written there will say so.
  }
}

/** Gives a part its name. @throws an error with code EEXIST when there is such a file, which stays as it is */
export function nameNew(part: string, place: string): void {
  try {
    linkSync(part, place)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // A disk that knows no second names.
    if (statSync(place, { throwIfNoEntry: false })) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
    renameSync(part, place)
    return
  }
  rmSync(part)
}

function isLeft(part: string, now: number): boolean {
  const [, host, pid] = PART.exec(basename(part)) ?? []
  if (host === HOST && !isAlive(Number(pid))) return true
  const found = statSync(part, { throwIfNoEntry: false })
  return found !== undefined && now - found.mtimeMs > LEFT_AFTER_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
