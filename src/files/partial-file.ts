import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DAY_MS } from '../domain/time.ts'

/** Whether a process on another machine or in another container is alive is unknown. After this time, it counts as ended. */
const ABANDONED_AFTER_MS = DAY_MS

const HOST = Buffer.from(hostname()).toString('hex').slice(-16)
const PARTIAL = /^\..+\.petstore-([0-9a-f]*)-(\d+)-[0-9a-f]{8}\.part(?:-\w+)?$/

/** An unused name in the same folder for a file that is being written, or for a folder with one. It contains the id of the writing process. */
export function partialFile(file: string): string {
  const owner = `petstore-${HOST}-${process.pid}`
  return join(dirname(file), `.${basename(file)}.${owner}-${randomBytes(4).toString('hex')}.part`)
}

/** The partial files and folders in a folder whose processes have ended. */
export function findAbandoned(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => PARTIAL.test(name))
    .map(name => join(folder, name))
    .filter(isAbandoned)
}

/** Removes these files, as far as permissions allow. */
export function removeAbandoned(folder: string): void {
  try {
    for (const partial of findAbandoned(folder)) rmSync(partial, { recursive: true, force: true })
  } catch {
    // If the folder is unusable, writing the file reports the problem.
  }
}

/**
 * Gives a complete file its name. The caller removes the other one.
 * @throws an error with code EEXIST when the name is taken
 */
export function nameCompleted(partial: string, file: string): void {
  try {
    linkSync(partial, file)
  } catch {
    // The name is taken, or the file system has no hard links.
    if (lstatSync(file, { throwIfNoEntry: false })) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
    renameSync(partial, file)
  }
}

function isAbandoned(partial: string): boolean {
  const [, host, pid] = PARTIAL.exec(basename(partial)) ?? []
  if (host === HOST && !isAlive(Number(pid))) return true
  const found = statSync(partial, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
