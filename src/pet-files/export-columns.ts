import type { Pet } from '../domain/pet.ts'
import { kindOf, PET_MEMBERS } from '../domain/pet-files.ts'
import { LABEL_COLUMN } from './columns.ts'

/** A column of an exported table. */
export interface ExportColumn {
  name: string
  kind: ReturnType<typeof kindOf>
  /** Empty if there is none. */
  format(pet: Pet): string
}

/** @param labels of the categories; without them, the column of labels is left out */
export function exportColumns(labels?: ReadonlyMap<bigint, string>): ExportColumn[] {
  return PET_MEMBERS.flatMap(member => {
    const column = { name: member, kind: kindOf(member), format: (pet: Pet) => String(pet[member] ?? '') }
    return member === 'categoryId' && labels ? [column, labelColumn(labels)] : [column]
  })
}

function labelColumn(labels: ReadonlyMap<bigint, string>): ExportColumn {
  return { name: LABEL_COLUMN, kind: 'text', format: ({ categoryId }) => labels.get(categoryId) ?? '' }
}
