import type { PetFileFormat } from '../domain/pet-files.ts'
import type { PetExport } from '../domain/pet-transfer.ts'
import { formatNdjson } from './ndjson.ts'
import { type CsvWriting, formatCsv, formatCsvHeader } from './write-csv.ts'

interface ExportRequest extends CsvWriting {
  format: PetFileFormat
  onProgress(written: number): void
}

/** Yields the file in parts, with the animals in ascending order of id. */
export async function* exportPets(
  { batches }: PetExport,
  { format, onProgress, ...writing }: ExportRequest,
): AsyncIterable<string> {
  let written = 0
  yield format === 'csv' ? formatCsvHeader(writing) : ''
  for await (const pets of batches) {
    yield format === 'csv' ? formatCsv(pets, writing) : formatNdjson(pets)
    written += pets.length
    onProgress(written)
  }
}
