import {
  AUDIT_ACTIONS,
  type AuditQuery,
  actionsOf,
  type ListedEntry,
  type PetOfEntry,
  type SubjectKind,
  subjectKindOf,
} from '../domain/audit.ts'
import type { PetsOfEntryQuery } from '../domain/store/animals.ts'
import { AUDIT_COLUMNS, auditEntry, auditEntryOf } from './audit.ts'
import type { Dialect } from './dialect.ts'
import { eachColumn, NEW, OLD } from './pet-columns.ts'
import { changedPet, stateOf } from './pet-history.ts'
import { addedIds } from './pet-undo.ts'
import { ID, optional, rowReader, TEXT } from './row-reader.ts'
import { all, type Condition, type Query, type Row, type Value, where } from './statement.ts'
import { type Read, read } from './write.ts'

/** The entries that match, newest first, with the names of what they are about. */
export function auditEntries(query: AuditQuery, dialect: Dialect): Query<ListedEntry[]> {
  const { accountId, action, subjectKind, subjectId, tokenId, operatorName, fromTime, beforeTime, beforeId, limit } =
    query
  const petId = subjectKind === 'pet' ? subjectId : undefined
  const ofSubject: Condition[] =
    petId === undefined
      ? [
          ['subject_id = ?', subjectId],
          isOneOf('action', subjectKind && AUDIT_ACTIONS.filter(one => subjectKindOf(one) === subjectKind)),
        ]
      : [changedPet(petId, dialect)]
  const { sql, values } = where([
    ['account_id = ?', accountId],
    isOneOf('action', action && actionsOf(action)),
    ...ofSubject,
    ['token_id = ?', tokenId],
    [IS_CALLED, operatorName, operatorName],
    ['at >= ?', fromTime],
    ['at < ?', beforeTime],
    ['audit.id < ?', beforeId],
  ])
  const [columns, joins] = petId === undefined ? ['', ''] : [`, ${OWN_STATES}`, OWN_CHANGE]
  return all(
    `SELECT audit.id, ${AUDIT_COLUMNS}, ${NAMES}${columns} FROM audit ${joins} ${sql} ORDER BY audit.id DESC LIMIT ?`,
    [...(petId === undefined ? [] : [petId, petId, petId]), ...values, limit],
    row => listedEntry(row, petId),
  )
}

const IS_CALLED = '(token_id IN (SELECT id FROM operator_token WHERE name = ?) OR (token_id IS NULL AND actor = ?))'

/** @param texts undefined matches everything */
function isOneOf(column: string, texts: readonly string[] | undefined): [string, ...(string | undefined)[]] {
  if (!texts) return ['', undefined]
  return [`${column} IN (${texts.map(() => '?').join(', ')})`, ...texts]
}

/** The table of a kind of subjects, and what people know one by. */
const SUBJECTS: Readonly<Partial<Record<SubjectKind, readonly [table: string, name: string]>>> = {
  account: ['account', 'name'],
  key: ['api_key', "coalesce(name, '…' || hint)"],
  'claim-link': ['claim_link', 'name'],
  pet: ['pet', 'name'],
  category: ['category', 'label'],
  source: ['source', 'name'],
  token: ['operator_token', 'name'],
}

const SUBJECT_NAME = Object.entries(SUBJECTS).map(([kind, [table, name]]) => {
  const actions = AUDIT_ACTIONS.filter(action => subjectKindOf(action) === kind).map(action => `'${action}'`)
  return `WHEN action IN (${actions.join(', ')}) THEN (SELECT ${name} FROM ${table} WHERE ${table}.id = subject_id)`
})

const NAMES = `CASE ${SUBJECT_NAME.join(' ')} END AS subject_name,
  (SELECT name FROM account WHERE account.id = account_id) AS account_name`

/** What an entry did to one animal, whose id is its three parameters. */
const OWN_CHANGE = `LEFT JOIN pet_change AS own ON own.audit_id = audit.id AND own.pet_id = ? ${nextChange('?', 'audit.id')}
  LEFT JOIN pet ON pet.id = ?`

/** Entries that add animals have no changes of them: the next change, or the animal itself, shows how they were added. */
const OWN_STATES = `${eachColumn(column => `own.old_${column}`)}, ${eachColumn(
  column => `CASE WHEN own.audit_id IS NOT NULL THEN own.new_${column}
    WHEN action IN ('pet.create', 'pet.import') THEN ${addedAs(column)} END AS new_${column}`,
)}`

/** Joins the next change of an animal after an entry, as `next`. */
function nextChange(petId: string, entryId: string): string {
  return `LEFT JOIN pet_change AS next ON next.pet_id = ${petId} AND next.audit_id =
    (SELECT min(later.audit_id) FROM pet_change AS later WHERE later.pet_id = next.pet_id AND later.audit_id > ${entryId})`
}

function addedAs(column: string): string {
  return `CASE WHEN next.audit_id IS NULL THEN pet.${column} ELSE next.old_${column} END`
}

const readNames = rowReader('the names of an audit entry', {
  subjectName: optional(TEXT),
  accountName: optional(TEXT),
})

function listedEntry(row: Row, petId: bigint | undefined): ListedEntry {
  const entry = auditEntryOf(row)
  const { subjectName, accountName } = readNames(row)
  const { before, after, details } = entry
  // What no longer exists is known by the name that it had.
  const formerName = after?.name ?? before?.name ?? details.name
  return {
    ...entry,
    subjectName: subjectName ?? (typeof formerName === 'string' ? formerName : undefined),
    accountName,
    pet: petId === undefined ? undefined : { id: petId, before: stateOf(row, 'old_'), after: stateOf(row, 'new_') },
  }
}

/** The animals that an entry changed, by ascending id. Undefined if there is no such entry. */
export function* petsOfEntry({ entryId, afterId, limit }: PetsOfEntryQuery): Read<PetOfEntry[] | undefined> {
  const entry = yield* read(auditEntry(entryId))
  if (!entry) return undefined
  const added = addedIds(entry)
  if (!added) return yield* read(all(CHANGED, [entryId, afterId, limit], petOfEntry))
  const [first, last] = added
  const ids: Value[] = [first > afterId ? first : afterId + 1n, last, limit]
  return yield* read(all(ADDED, [...ids, ...ids, entryId, limit], petOfEntry))
}

const CHANGED = `SELECT pet_id, ${OLD}, ${NEW} FROM pet_change WHERE audit_id = ? AND pet_id > ? ORDER BY pet_id LIMIT ?`

/** Those that exist, and those that were changed or deleted later. */
const ADDED = `SELECT added.pet_id, ${eachColumn(column => `NULL AS old_${column}`)},
    ${eachColumn(column => `${addedAs(column)} AS new_${column}`)}
  FROM (
    SELECT pet_id FROM (SELECT id AS pet_id FROM pet WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?) AS existing
    UNION SELECT pet_id FROM (SELECT DISTINCT pet_id FROM pet_change WHERE pet_id BETWEEN ? AND ? ORDER BY pet_id LIMIT ?) AS changed
  ) AS added
  LEFT JOIN pet ON pet.id = added.pet_id ${nextChange('added.pet_id', '?')}
  ORDER BY added.pet_id LIMIT ?`

const readPetId = rowReader('a change of an animal', { petId: ID })

function petOfEntry(row: Row): PetOfEntry {
  return { id: readPetId(row).petId, before: stateOf(row, 'old_'), after: stateOf(row, 'new_') }
}
