import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file that root has just created to the owner of its folder, who could not use it otherwise. SQLite does the same for its companion files.
 * By the open file, not by its name, which the owner of the folder can turn into a link.
 */
export function giveToOwner(opened: number, path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid !== 0) fchownSync(opened, uid, gid)
}

/** The same for a folder that was just created. */
export function giveFolderToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return
  const opened = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    giveToOwner(opened, folder)
  } finally {
    closeSync(opened)
  }
}
