import { parseInt64 } from '../domain/int64.ts'
import { isPetStatus, type NewPet, PET_STATUSES, type PetStatus } from '../domain/pet.ts'
import type { PetEvent } from '../domain/pet-history.ts'
import type { PetHistoryQuery } from '../domain/store/animals.ts'
import { AUDIT_COLUMNS, auditEntryOf } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { INTEGER, oneOf, optional, rowReader, TEXT } from './row-reader.ts'
import { all, type Query, type Row, where } from './statement.ts'

const optionalStatus = optional(oneOf(PET_STATUSES))

const readChange = rowReader('a change of an animal', {
  oldName: optional(TEXT),
  oldCategoryId: optional(INTEGER),
  oldStatus: optionalStatus,
  newName: optional(TEXT),
  newCategoryId: optional(INTEGER),
  newStatus: optionalStatus,
})

/** The entries about one animal, and those of bulk changes that affected it. */
export function petHistory({ petId, beforeId, limit }: PetHistoryQuery, { detail }: Dialect): Query<PetEvent[]> {
  const imported = (name: string) => `CASE WHEN action = 'pet.import' THEN CAST(${detail(name)} AS BIGINT) END`
  const entries = `SELECT audit_id FROM pet_change WHERE pet_id = ?
    UNION SELECT id FROM audit WHERE subject_id = ? AND action IN ('pet.create', 'pet.correct', 'pet.delete')
    UNION SELECT id FROM audit WHERE action = 'pet.import' AND ${imported('firstId')} <= ? AND ${imported('lastId')} >= ?`
  const { sql, values } = where([
    [`id IN (${entries})`, petId, petId, petId, petId],
    ['id < ?', beforeId],
  ])
  return all(
    `SELECT id, ${AUDIT_COLUMNS}, old_name, old_category_id, old_status, new_name, new_category_id, new_status
     FROM audit LEFT JOIN pet_change ON audit_id = id AND pet_id = ? ${sql} ORDER BY id DESC LIMIT ?`,
    [petId, ...values, limit],
    eventOf,
  )
}

function eventOf(row: Row): PetEvent {
  const { before: _, after, ...entry } = auditEntryOf(row)
  const values = readChange(row)
  const created = entry.action === 'pet.create' ? createdPet(after ?? entry.details) : undefined
  return {
    ...entry,
    before: stateOf(values.oldName, values.oldCategoryId, values.oldStatus),
    after: stateOf(values.newName, values.newCategoryId, values.newStatus) ?? created,
  }
}

function stateOf(
  name: string | undefined,
  categoryId: bigint | undefined,
  status: PetStatus | undefined,
): NewPet | undefined {
  if (name === undefined || categoryId === undefined || status === undefined) return undefined
  return { name, categoryId, status }
}

/** Older entries have the values of the new animal in their details. */
function createdPet({ name, categoryId, status }: Readonly<Record<string, unknown>>): NewPet | undefined {
  return stateOf(
    typeof name === 'string' ? name : undefined,
    parseInt64(String(categoryId)),
    isPetStatus(status) ? status : undefined,
  )
}
