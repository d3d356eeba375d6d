import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { packTar } from 'modern-tar'

export interface ArchivedFile {
  path: string
  body: Uint8Array
  isProgram?: boolean
}

export interface Archive {
  /** The name of its file. */
  name: string
  content: Uint8Array
}

/**
 * Packs files as .tar.gz or .zip, in their order. The bytes are reproducible on any machine: every file has the given time, the owner root, and the
 * permissions 755 or 644.
 */
export async function packFiles(
  files: readonly ArchivedFile[],
  type: 'tar.gz' | 'zip',
  time: Date,
): Promise<Uint8Array> {
  return type === 'zip' ? zip(files, time) : await tarGz(files, time)
}

async function tarGz(files: readonly ArchivedFile[], mtime: Date): Promise<Uint8Array> {
  const entries = files.map(({ path, body, isProgram = false }) => ({
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

function zip(files: readonly ArchivedFile[], time: Date): Uint8Array {
  // ZIP has no time zones, and fflate writes local time.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
  return zipSync(Object.fromEntries(files.map(({ path, body }) => [path, body])), { level: 9, mtime })
}
