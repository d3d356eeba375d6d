import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { PetTransfer } from '../domain/pet-transfer.ts'
import type { ImportRequest } from '../pet-files/import-pets.ts'

/**
 * Writes the lines of a file that cannot be imported to another file, in which they can be corrected. It must be done before the import, which
 * makes the ids of the others known.
 * @throws UserError when that file exists, or cannot be written
 */
export async function saveBadLines(
  transfer: PetTransfer,
  request: ImportRequest,
  file: string,
  ensureAllowed: () => void,
): Promise<void> {
  const { writeBadLines } = await import('../pet-files/bad-lines-file.ts')
  const { writeAtomically } = await import('../files/write-atomically.ts')
  await writeAtomically(file, { ensureAllowed }, path =>
    pipeline(writeBadLines(transfer, request), createWriteStream(path, { flush: true })),
  )
}
