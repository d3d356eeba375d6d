import { kindOf, PET_MEMBERS } from '../domain/pet-files.ts'
import type { ExportedPet } from '../domain/pet-transfer.ts'
import { LABEL_COLUMN, ORIGIN_COLUMNS } from './columns.ts'

export interface ExportColumn {
  name: string
  kind: ReturnType<typeof kindOf>
  /** Empty if there is none. */
  format(pet: ExportedPet): string
}

interface MoreColumns {
  /** Of the categories; without them, the column of labels is left out. */
  labels?: ReadonlyMap<bigint, string> | undefined
  externalIds?: boolean
}

export function exportColumns({ labels, externalIds = false }: MoreColumns = {}): ExportColumn[] {
  const members = PET_MEMBERS.flatMap(member => {
    const column = { name: member, kind: kindOf(member), format: (pet: ExportedPet) => String(pet[member] ?? '') }
    return member === 'categoryId' && labels ? [column, labelColumn(labels)] : [column]
  })
  return externalIds ? [...members, ...ORIGIN_COLUMNS.map(originColumn)] : members
}

function labelColumn(labels: ReadonlyMap<bigint, string>): ExportColumn {
  return { name: LABEL_COLUMN, kind: 'text', format: ({ categoryId }) => labels.get(categoryId) ?? '' }
}

function originColumn(name: (typeof ORIGIN_COLUMNS)[number]): ExportColumn {
  return { name, kind: 'text', format: ({ origin }) => origin?.[name] ?? '' }
}
