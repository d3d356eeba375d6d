import {
  AUDIT_ACTIONS,
  type AuditValues,
  type ListedEntry,
  type PetOfEntry,
  SUBJECT_KINDS,
  subjectKindOf,
} from '../../domain/audit.ts'
import { id, named, nullable, object, oneOf, text, time } from '../fields.ts'
import { PetMembers } from '../pet-schemas.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'

/** Of the response to an action on animals. */
export const ENTRY_OF_ACTION =
  'Identifier of the entry of this action in the audit log: `POST /audit/{entryId}/undo` undoes it. Absent or null if nothing was changed.'

export const AuditActionName = Type.Named('AuditAction', oneOf(AUDIT_ACTIONS, 'What was done.'))
const SubjectKindName = oneOf(SUBJECT_KINDS, 'The kind of object that the action changed.')

/** Numbers are integers of up to 64 bits. */
export const values = (description: string) =>
  Type.Unsafe<AuditValues>({
    type: 'object',
    description,
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
  })

/** The values of an animal at some time. */
export const petState = (description: string) => nullable(object(description, PetMembers))

export const PetOfEntryJson = named('PetOfEntry', 'What an action did to one of its animals.', {
  id: id('Identifier of the animal.'),
  before: petState('The animal before the action. Null if it was added, or if this is not known.'),
  after: petState('The animal after the action. Null if it was deleted, or if this is not known.'),
})

export const AuditEntryJson = named('AuditEntry', 'An action of an operator.', {
  id: id('Identifier of the entry; later entries have higher ids.'),
  at: time('When it was done.'),
  actor: text('Who did it: the name of a token, or the user of the command line.'),
  tokenId: nullable(id('The token of the operator; null for the command line and for refused sign-ins.')),
  origin: text('Where it came from: an address, or `command line`.'),
  action: AuditActionName,
  subjectKind: nullable(SubjectKindName),
  subjectId: nullable(id('The id of the object that the action changed.')),
  subjectName: nullable(
    text(
      'The name of that object, or the one that it had; of a key without a name, `…` and its last characters. Null if it has none, or that is not known.',
    ),
  ),
  accountId: nullable(id('The account concerned.')),
  account: nullable(text('The name of that account. Null if it no longer exists.')),
  before: nullable(values('The values before the action. Null if there were none.')),
  after: nullable(values('The values after the action. Null if there are none.')),
  details: values('Additional details.'),
  pet: nullable(PetOfEntryJson),
})

export function auditEntryJson({ accountName: account, ...entry }: ListedEntry) {
  const subjectKind = entry.subjectId === undefined ? undefined : subjectKindOf(entry.action)
  return writeJson(AuditEntryJson, { ...entry, subjectKind, account })
}

export function petOfEntryJson(pet: PetOfEntry) {
  return writeJson(PetOfEntryJson, pet)
}
