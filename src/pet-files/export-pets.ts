import type { ExportOptions } from '../domain/pet-files.ts'
import type { PetExport } from '../domain/pet-transfer.ts'
import { exportColumns } from './export-columns.ts'
import { formatNdjson } from './ndjson.ts'
import { formatCsv, formatCsvHeader } from './write-csv.ts'

/**
 * Yields the file in parts, with the animals in ascending order of id.
 * @throws UserError when there are more animals than a sheet of a workbook can have
 */
export async function* exportPets(
  { batches, count, labels }: PetExport,
  { format, categoryLabels = false, externalIds = false, ...csv }: Omit<ExportOptions, 'filter'>,
): AsyncIterable<string | Uint8Array> {
  const columns = exportColumns({ labels: categoryLabels || format === 'xlsx' ? labels : undefined, externalIds })
  if (format === 'xlsx') {
    const { writeWorkbook } = await import('./workbook/write-workbook.ts')
    yield* writeWorkbook(batches, count, columns)
    return
  }
  if (format === 'csv') yield formatCsvHeader(csv, columns)
  for await (const pets of batches) yield format === 'csv' ? formatCsv(pets, csv, columns) : formatNdjson(pets)
}
