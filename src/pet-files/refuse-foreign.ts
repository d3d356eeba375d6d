import { conflict } from '../domain/errors.ts'
import { recogniseForeignFile } from '../domain/foreign-files.ts'
import type { PetFileFormat } from '../domain/pet-files.ts'
import { joinHead } from './encoding.ts'

/**
 * Reads only the beginning of a file.
 * @throws UserError see `refuseForeign`
 */
export async function ensureNotForeign(chunks: AsyncIterable<Buffer>, format: PetFileFormat): Promise<void> {
  for await (const _ of refuseForeign(chunks, format)) return
}

/**
 * Passes on the chunks of a file.
 * @throws UserError when its first bytes show that it cannot be imported in this format, such as those of a workbook
 */
export async function* refuseForeign(chunks: AsyncIterable<Buffer>, format: PetFileFormat): AsyncIterable<Buffer> {
  let isHead = true
  for await (const chunk of joinHead(chunks)) {
    const found = isHead ? recogniseForeignFile(chunk, format) : undefined
    if (found !== undefined) throw conflict(`The file is ${found}`)
    isHead = false
    yield chunk
  }
}
