import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { packTar } from 'modern-tar'

/**
 * Packs a folder as .tar.gz or .zip. The bytes are reproducible on any machine: names are sorted, and every file has the given time, the owner
 * root, and the permissions 755 or 644.
 * @param name the top-level folder in the archive; may be empty
 */
export async function pack(folder: string, name: string, type: 'tar.gz' | 'zip', time: Date): Promise<Uint8Array> {
  const files = filesOf(folder).map(path => {
    const file = join(folder, path)
    return { path: posix.join(name, path.replaceAll(sep, '/')), body: readFileSync(file), isProgram: isProgram(file) }
  })
  return type === 'zip' ? zip(files, time) : await tarGz(files, time)
}

interface PackedFile {
  path: string
  body: Uint8Array
  isProgram: boolean
}

async function tarGz(files: readonly PackedFile[], mtime: Date): Promise<Uint8Array> {
  const entries = files.map(({ path, body, isProgram }) => ({
    header: {
      name: path,
      size: body.length,
      mode: isProgram ? 0o755 : 0o644,
      mtime,
      uid: 0,
      gid: 0,
      uname: 'root',
      gname: 'root',
    },
    body,
  }))
  return gzipSync(await packTar(entries), { level: 9 })
}

function zip(files: readonly PackedFile[], time: Date): Uint8Array {
  // ZIP has no time zones, and fflate writes local time.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
  return zipSync(Object.fromEntries(files.map(({ path, body }) => [path, body])), { level: 9, mtime })
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
