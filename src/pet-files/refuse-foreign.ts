import { UserError } from '../domain/errors.ts'
import { FOREIGN_FILE_BYTES, recogniseForeignFile } from '../domain/foreign-files.ts'
import type { PetFileFormat } from '../domain/pet-files.ts'

/**
 * Passes on the chunks of a file.
 * @throws UserError when its first bytes show that it is none that can be imported in this format, such as a workbook
 */
export async function* refuseForeign(chunks: AsyncIterable<Buffer>, format: PetFileFormat): AsyncIterable<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  const check = (bytes: Buffer) => {
    const found = recogniseForeignFile(bytes, format)
    if (found !== undefined) throw new UserError('conflict', `The file is ${found}`)
    return bytes
  }
  for await (const chunk of chunks) {
    if (!start) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < FOREIGN_FILE_BYTES) continue
    yield check(start)
    start = undefined
  }
  if (start) yield check(start)
}
