import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { Pet } from '../domain/pet.ts'
import type { PetExport } from '../domain/pet-transfer.ts'
import { CSV_HEADER, type CsvOptions, formatCsv } from './csv.ts'
import type { PetFileFormat } from './format.ts'
import { formatNdjson } from './ndjson.ts'

interface ExportRequest extends CsvOptions {
  format: PetFileFormat
  signal: AbortSignal
  onProgress(written: number): void
}

const FORMATS: Record<PetFileFormat, { header: string; format(pets: readonly Pet[], options: CsvOptions): string }> = {
  ndjson: { header: '', format: formatNdjson },
  csv: { header: CSV_HEADER, format: formatCsv },
}

/** Writes the animals by ascending id, at the speed of the output, and ends the output unless it is standard output. */
export async function exportPets(
  { batches }: PetExport,
  output: Writable,
  { format, signal, onProgress, ...options }: ExportRequest,
): Promise<void> {
  async function* texts(): AsyncIterable<string> {
    let written = 0
    yield FORMATS[format].header
    for await (const pets of batches) {
      yield FORMATS[format].format(pets, options)
      written += pets.length
      onProgress(written)
      // Standard output may never block: this lets signals be handled.
      await setImmediate()
    }
  }
  await pipeline(texts, output, { signal, end: output !== process.stdout })
}
