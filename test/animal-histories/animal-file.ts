import type { Actor } from '../../src/domain/audit.ts'
import type { ImportReport, SyncTerms } from '../../src/domain/pet-files.ts'
import type { PetTransfer } from '../../src/domain/pet-transfer.ts'
import { importAll } from '../../src/pet-files/import-pets.ts'
import type { FileLine } from './model.ts'

export interface AnimalFile {
  lines: readonly FileLine<unknown>[]
  skipBad: boolean
  as: 'add' | 'update' | SyncTerms
}

interface Circumstances {
  actor: Actor
  now: number
  dryRun: boolean
}

/** Imports animals as a CSV file. */
export function importFile(
  transfer: PetTransfer,
  { lines, skipBad, as }: AnimalFile,
  { actor, now, dryRun }: Circumstances,
): Promise<ImportReport> {
  const rows = lines.map(({ id = '', name = '', category = '', status = '' }) => `${id},${name},${category},${status}`)
  const file = Buffer.from(['id,name,category,status', ...rows, ''].join('\r\n'))
  const [mode, sync] = typeof as === 'string' ? [as] : (['add', as] as const)
  return importAll(transfer, {
    ...{ format: 'csv', mode, sync, dryRun, skipBad, csv: { newCategories: true } },
    ...{ name: 'animals.csv', actor, clock: () => now, bytes: file.length },
    async *open() {
      yield file
    },
    onProgress() {},
  })
}
