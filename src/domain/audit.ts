import type { Permit } from './permit.ts'
import type { NewPet } from './pet.ts'
import type { RepeatableRequest } from './repeatable-request.ts'
import { containsSecret } from './secret-forms.ts'
import type { NewestPage } from './store/page.ts'

export const AUDIT_ACTIONS = [
  'account.create',
  'account.rename',
  'account.set-plan',
  'account.suspend',
  'account.resume',
  'account.delete',
  'key.issue',
  'key.change',
  'key.rotate',
  'key.revoke',
  'key.claim',
  'claim-link.create',
  'claim-link.revoke',
  'ban.lift',
  'pet.create',
  'pet.correct',
  'pet.delete',
  'pet.correct-many',
  'pet.delete-many',
  'pet.import',
  'pet.update',
  'pet.sync',
  'pet.undo',
  'pet.restore',
  'category.label',
  'category.unlabel',
  'source.create',
  'source.change',
  'source.remove',
  'token.create',
  'token.link',
  'token.revoke',
  'session.sign-in',
  'session.sign-out',
  'sign-in.refused',
  'store.restore',
  'store.move',
  'store.confirm-clock',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The first word of an action. */
export type AuditKind = AuditAction extends `${infer Kind}.${string}` ? Kind : never

export const AUDIT_KINDS = [...new Set(AUDIT_ACTIONS.map(kindOf))]

export type SubjectKind = Exclude<AuditKind, 'session' | 'sign-in' | 'store'>

export const SUBJECT_KINDS = [...new Set(AUDIT_ACTIONS.map(subjectKindOf))].filter(kind => kind !== undefined)

/** The kind of object that an action is about; undefined if that has no id. */
export function subjectKindOf(action: AuditAction): SubjectKind | undefined {
  const kind = kindOf(action)
  if (kind === 'session') return 'token'
  return kind === 'sign-in' || kind === 'store' ? undefined : kind
}

export function actionsOf(name: AuditAction | AuditKind): AuditAction[] {
  return AUDIT_ACTIONS.filter(action => action === name || kindOf(action) === name)
}

function kindOf(action: AuditAction): AuditKind {
  return action.slice(0, action.indexOf('.')) as AuditKind
}

export interface Actor {
  /** The user of the command line, or the holder of an operator's token. */
  name: string
  /** Undefined for a command, and before anyone has signed in. */
  permit?: Permit | undefined
  /** An address, or COMMAND_LINE. */
  origin: string
}

export const COMMAND_LINE = 'command line'

/** The audit entry of an action. It must be written in the same transaction as the change. */
export interface NewAuditEntry {
  /** Unix milliseconds. */
  at: number
  actor: string
  origin: string
  action: AuditAction
  /** The token of the operator; undefined for a command, and before anyone has signed in. */
  tokenId?: bigint | undefined
  /** If the action may no longer be carried out with it, neither the entry nor the change is written. */
  permit?: Permit | undefined
  /** For a creation that the operator may repeat. */
  request?: RepeatableRequest | undefined
  accountId?: bigint | undefined
  /** Additional details, never a secret. */
  details: AuditValues
  /** The values of its subject before and after the action, as far as the action changes them; never a secret. */
  before?: AuditValues | undefined
  after?: AuditValues | undefined
}

/** Values by their names in the admin API. Times are ISO 8601 in UTC. */
export type AuditValues = Readonly<Record<string, AuditValue>>

export type AuditValue = string | number | bigint | boolean | null

/** Undefined values are omitted; values that contain a secret are withheld. */
export type GivenValues = Readonly<Record<string, AuditValue | undefined>>

export function withDetails(entry: NewAuditEntry, details: GivenValues): NewAuditEntry {
  return { ...entry, details: { ...entry.details, ...shownOf(details) } }
}

/** Adds the values of the subject before and after the action. */
export function withChange(
  entry: NewAuditEntry,
  { before, after }: { before?: GivenValues | undefined; after?: GivenValues | undefined },
): NewAuditEntry {
  return {
    ...entry,
    before: before ? { ...entry.before, ...shownOf(before) } : entry.before,
    after: after ? { ...entry.after, ...shownOf(after) } : entry.after,
  }
}

function shownOf(values: GivenValues): AuditValues {
  const shown = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === 'string' && containsSecret(value) ? '(withheld)' : value]]
  })
  return Object.fromEntries(shown)
}

export interface AuditEntry extends Required<Omit<NewAuditEntry, 'permit' | 'request'>> {
  /** Increases with every entry. */
  id: bigint
  /** The id of the object that the action is about; `subjectKindOf` returns its kind. */
  subjectId: bigint | undefined
}

/** An entry as the log shows it, with names as they are today. */
export interface ListedEntry extends AuditEntry {
  /**
   * The name of its subject, or the one that it had; `…x7Qk` for a key without a name, which ends in that. Undefined if the subject has no name, or
   * that is not known.
   */
  subjectName: string | undefined
  /** The name of the account concerned, while it exists. */
  accountName: string | undefined
  /** What the action did to the animal that the entries are selected by. */
  pet: PetOfEntry | undefined
}

/** What an action did to one of its animals. */
export interface PetOfEntry {
  id: bigint
  /** Undefined if the action added it, or the log does not have its values. */
  before: NewPet | undefined
  /** Undefined if the action deleted it, or the log does not have its values. */
  after: NewPet | undefined
}

/** Selects entries, newest first. Undefined members match all. */
export interface AuditQuery extends NewestPage {
  accountId?: bigint | undefined
  action?: AuditAction | AuditKind | undefined
  /** With `subjectId`, `pet` also selects actions on many animals, such as imports, if this animal is one of them. */
  subjectKind?: SubjectKind | undefined
  subjectId?: bigint | undefined
  tokenId?: bigint | undefined
  /** The name of tokens, or of a user of the command line. */
  operatorName?: string | undefined
  /** The start (inclusive) and the end (exclusive). Unix milliseconds. */
  fromTime?: number | undefined
  beforeTime?: number | undefined
}
