import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { packFiles } from '../site/archive.ts'

/**
 * Packs a folder as .tar.gz or .zip, with sorted names; see `packFiles`.
 * @param name the top-level folder in the archive; may be empty
 */
export async function pack(folder: string, name: string, type: 'tar.gz' | 'zip', time: Date): Promise<Uint8Array> {
  const files = filesOf(folder).map(path => {
    const file = join(folder, path)
    return { path: posix.join(name, path.replaceAll(sep, '/')), body: readFileSync(file), isProgram: isProgram(file) }
  })
  return packFiles(files, type, time)
}

/** Relative paths, sorted by their bytes. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (a < b ? -1 : 1))
}

function isProgram(file: string): boolean {
  return (lstatSync(file).mode & 0o100) !== 0
}
