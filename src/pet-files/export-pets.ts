import type { ExportOptions } from '../domain/pet-files.ts'
import type { ExportedPet, PetExport } from '../domain/pet-transfer.ts'
import { exportColumns } from './export-columns.ts'
import { formatNdjson } from './ndjson.ts'
import { formatCsv, formatCsvHeader } from './write-csv.ts'

interface ExportRequest extends Omit<ExportOptions, 'filter'> {
  onProgress(written: number): void
}

/**
 * Yields the file in parts, with the animals in ascending order of id.
 * @throws UserError when there are more animals than a sheet of a workbook can have
 */
export async function* exportPets(
  { batches, count, labels }: PetExport,
  { format, categoryLabels = false, externalIds = false, onProgress, ...csv }: ExportRequest,
): AsyncIterable<string | Uint8Array> {
  const columns = exportColumns({ labels: categoryLabels || format === 'xlsx' ? labels : undefined, externalIds })
  const counted = countWritten(batches, onProgress)
  if (format === 'xlsx') {
    const { writeWorkbook } = await import('./workbook/write-workbook.ts')
    yield* writeWorkbook(counted, count, columns)
    return
  }
  if (format === 'csv') yield formatCsvHeader(csv, columns)
  for await (const pets of counted) yield format === 'csv' ? formatCsv(pets, csv, columns) : formatNdjson(pets)
}

async function* countWritten(
  batches: AsyncIterable<readonly ExportedPet[]>,
  onProgress: (written: number) => void,
): AsyncIterable<readonly ExportedPet[]> {
  let written = 0
  for await (const pets of batches) {
    yield pets
    written += pets.length
    onProgress(written)
  }
}
