import type { AuditValues } from '../domain/audit.ts'
import { MEMBER_NAMES, MEMBERS, type MemberName, type NewPet } from '../domain/pet.ts'
import type { PetEvent } from '../domain/pet-history.ts'
import type { PetHistoryQuery } from '../domain/store/animals.ts'
import { AUDIT_COLUMNS, auditEntryOf } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { NEW, OLD } from './pet-columns.ts'
import { columnDamaged, columnOf } from './row-reader.ts'
import { all, type Condition, type Query, type Row, where } from './statement.ts'

/** The columns of `pet_change`. */
export const CHANGE_COLUMNS = `pet_id, audit_id, ${OLD}, ${NEW}`

/** Whether an entry is about this animal, or changed it together with others. */
export function changedPet(petId: bigint, { detail }: Dialect): Condition {
  const imported = (name: string) => `CASE WHEN action = 'pet.import' THEN CAST(${detail(name)} AS BIGINT) END`
  const entries = `SELECT audit_id FROM pet_change WHERE pet_id = ?
    UNION SELECT id FROM audit WHERE subject_id = ? AND action IN ('pet.create', 'pet.correct', 'pet.delete')
    UNION SELECT id FROM audit WHERE action = 'pet.import' AND ${imported('firstId')} <= ? AND ${imported('lastId')} >= ?`
  return [`audit.id IN (${entries})`, petId, petId, petId, petId]
}

/** The entries about one animal, and those of bulk changes that affected it. */
export function petHistory({ petId, beforeId, limit }: PetHistoryQuery, dialect: Dialect): Query<PetEvent[]> {
  const { sql, values } = where([changedPet(petId, dialect), ['id < ?', beforeId]])
  return all(
    `SELECT id, ${AUDIT_COLUMNS}, ${OLD}, ${NEW}
     FROM audit LEFT JOIN pet_change ON audit_id = id AND pet_id = ? ${sql} ORDER BY id DESC LIMIT ?`,
    [petId, ...values, limit],
    eventOf,
  )
}

function eventOf(row: Row): PetEvent {
  const { before: _, after, ...entry } = auditEntryOf(row)
  const created = entry.action === 'pet.create' ? petIn(after ?? entry.details) : undefined
  const deleted = entry.action === 'pet.delete' ? petIn(entry.details) : undefined
  const details = (created && !after) || deleted ? {} : entry.details
  return { ...entry, details, before: stateOf(row, 'old_') ?? deleted, after: stateOf(row, 'new_') ?? created }
}

/** The animal in the columns with this prefix; undefined if they are null. */
export function stateOf(row: Row, prefix: string): NewPet | undefined {
  return animalOf(name => {
    const column = prefix + columnOf(name)
    const value = row[column] ?? undefined
    if (value !== undefined && !MEMBERS[name].isValid(value)) throw columnDamaged(column, 'a change of an animal')
    return value
  })
}

/** Older entries have the values of an animal that they added or deleted in their details. */
function petIn(values: AuditValues): NewPet | undefined {
  return animalOf(name => {
    const value = values[name] ?? undefined
    return value === undefined ? undefined : MEMBERS[name].parse(String(value))
  })
}

/** Undefined if it lacks a member that every animal has. */
function animalOf(memberOf: (name: MemberName) => unknown): NewPet | undefined {
  const values = MEMBER_NAMES.map(name => [name, memberOf(name)] as const)
  return values.every(([name, value]) => MEMBERS[name].isValid(value))
    ? (Object.fromEntries(values) as NewPet)
    : undefined
}
