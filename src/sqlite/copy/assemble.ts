import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../domain/errors.ts'
import { isoTime } from '../../domain/time.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { type ChangesHeader, DamagedCopy, readChanges } from './changes-file.ts'
import type { CopyFile, RestorePlan } from './copy-folder.ts'

/** The two bytes of a database header that show whether it has a log (sqlite.org/fileformat.html, 1.3.3). The result has none. */
const VERSIONS_OFFSET = 18
const WITHOUT_LOG = Buffer.from([1, 1])

/**
 * Builds the database of a plan in a new or empty file. If anything fails, the caller removes the file.
 * @throws UserError when a file of the copy is damaged
 */
export async function assemble({ full, changes }: RestorePlan, target: string, signal?: AbortSignal): Promise<void> {
  await orUserError(full, full, () => copyFull(full, target, signal))
  await using database = await open(target, 'r+')
  let header: ChangesHeader | undefined
  for (const [index, file] of changes.entries()) {
    signal?.throwIfAborted()
    header = await orUserError(file, changes[index - 1] ?? full, () =>
      readChanges(file.path, file.sha256, ({ page, image }, { pageSize }) => {
        writeWhole(database.fd, image, (page - 1) * pageSize)
      }),
    )
  }
  if (header) await database.truncate(header.pageSize * header.pageCount)
  await database.write(WITHOUT_LOG, 0, WITHOUT_LOG.length, VERSIONS_OFFSET)
  await database.sync()
}

async function copyFull({ path, sha256 }: CopyFile, target: string, signal?: AbortSignal): Promise<void> {
  const hash = createHash('sha256')
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(undefined, chunk)
    },
  })
  await pipeline(createReadStream(path), hashing, createWriteStream(target, { mode: 0o600 }), {
    ...(signal && { signal }),
  })
  if (hash.digest('hex') !== sha256) throw new DamagedCopy(path)
}

/** @param before the last file that is sound */
async function orUserError<Result>(file: CopyFile, before: CopyFile, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DamagedCopy)) throw error
    const remedy =
      file === before ? 'restore to a time before it' : `restore to ${isoTime(before.at)}, the time before it`
    throw new UserError('conflict', `The file ${file.path} of the copy is damaged; ${remedy}, with --at.`)
  }
}
