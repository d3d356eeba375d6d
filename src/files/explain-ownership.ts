import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { shellWord } from '../domain/shell-quote.ts'

/**
 * Why this user cannot read and write a file that belongs to neither this user nor the owner of its folder, and the command that repairs it. Undefined
 * if that is not so.
 */
export function explainOwnership(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return undefined
  }
  try {
    const owner = statSync(file).uid
    const { uid, gid } = statSync(dirname(file))
    if (owner === process.geteuid?.() || owner === uid) return undefined
    const name = owner === 0 ? 'root' : `the user with the id ${owner}`
    return `The file ${file} belongs to ${name}, so this user cannot open it; as root, run chown ${uid}:${gid} ${shellWord(file)}`
  } catch {
    // Not even its owner can be read.
    return undefined
  }
}
