import type { BadLine } from '../../src/domain/bad-lines.ts'
import type { CsvReading } from '../../src/domain/pet-files.ts'
import type { PetLine } from '../../src/domain/pet-transfer.ts'
import { readCsvTable, readTable } from '../../src/pet-files/csv.ts'
import type { Line } from '../../src/pet-files/lines.ts'
import { NEW_PETS } from '../../src/pet-files/pet-line.ts'
import { Words } from '../../src/pet-files/words.ts'

/** Reads new animals from the lines of a CSV file, for a store that has no categories. */
export function readCsv(lines: AsyncIterable<Line[]>, reading: CsvReading = {}): AsyncIterable<(PetLine | BadLine)[]> {
  return readTable(readCsvTable(lines, reading), reading, NEW_PETS, new Words(reading))
}
