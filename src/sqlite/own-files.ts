import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Mistake } from '../domain/errors.ts'

/** The database and what belongs to it, the lock, the mark of a move, what the folder remembers, copies that a restore makes or has put aside. */
const OWN = /^(petstore\.db(-\w+|\.moved|\.known|\.before-restore-.*)?|serving\.lock(-\w+)?)$/

/**
 * No command writes over a file of the store itself, whatever the name that leads to it: a link, or a second name on the disk.
 * @param folder of the store
 * @param file as a person named it
 * @throws Mistake when it is one of the store's
 */
export function ensureIsForeign(folder: string, file: string): void {
  if (!existsSync(folder)) return
  const place = existsSync(file) ? realpathSync(file) : resolve(file)
  const isBeside = existsSync(dirname(place)) && realpathSync(dirname(place)) === realpathSync(folder)
  if ((isBeside && OWN.test(basename(place))) || isSecondName(folder, file)) {
    throw new Mistake('invalid', `The file ${file} belongs to the store; name another one.`)
  }
}

function isSecondName(folder: string, file: string): boolean {
  const there = find(file)
  if (!there) return false
  return readdirSync(folder)
    .filter(name => OWN.test(name))
    .map(name => find(join(folder, name)))
    .some(own => own?.dev === there.dev && own.ino === there.ino)
}

function find(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
