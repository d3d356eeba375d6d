import { AUDIT_ACTIONS, type AuditEntry, type AuditValues, SUBJECT_KINDS, subjectKindOf } from '../../domain/audit.ts'
import { id, named, nullable, oneOf, text, time } from '../fields.ts'
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

export const AuditEntryJson = named('AuditEntry', 'An action of an operator.', {
  id: id('Identifier of the entry; later entries have higher ids.'),
  at: time('When it was done.'),
  actor: text('Who did it: the name of a token, or the user of the command line.'),
  tokenId: nullable(id('The token of the operator; null for the command line and for refused sign-ins.')),
  origin: text('Where it came from: an address, or `command line`.'),
  action: AuditActionName,
  subjectKind: nullable(SubjectKindName),
  subjectId: nullable(id('The id of the object that the action changed.')),
  accountId: nullable(id('The account concerned.')),
  before: nullable(values('The values before the action. Null if there were none.')),
  after: nullable(values('The values after the action. Null if there are none.')),
  details: values('Additional details.'),
})

export function auditEntryJson(entry: AuditEntry) {
  const subjectKind = entry.subjectId === undefined ? undefined : subjectKindOf(entry.action)
  return writeJson(AuditEntryJson, { ...entry, subjectKind })
}
