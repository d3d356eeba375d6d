import { containsSecret } from './secret.ts'

/** The actions of operators that are written to the audit log. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.rename',
  'account.set-plan',
  'account.suspend',
  'account.resume',
  'account.delete',
  'key.issue',
  'key.rotate',
  'key.revoke',
  'ban.lift',
  'pet.create',
  'pet.correct',
  'pet.delete',
  'pet.import',
  'token.create',
  'token.revoke',
  'session.sign-in',
  'session.sign-out',
  'sign-in.refused',
  'store.restore',
  'store.move',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Who acts, and from where. */
export interface Actor {
  /** The user of the command line, or the holder of an operator's token. */
  name: string
  /** An address, or COMMAND_LINE. */
  origin: string
}

export const COMMAND_LINE = 'command line'

/** The entry of an action, to be written in the same transaction as its change. */
export interface NewAuditEntry {
  /** Unix milliseconds. */
  at: number
  actor: string
  origin: string
  action: AuditAction
  /** The account that it concerns. */
  accountId?: bigint | undefined
  /** Further details, never a secret. */
  details: Readonly<Record<string, string>>
}

/** Adds details to an entry. Those that are undefined are left out; those that contain a secret are withheld. */
export function withDetails(
  entry: NewAuditEntry,
  details: Readonly<Record<string, string | undefined>>,
): NewAuditEntry {
  const shown = Object.entries(details).flatMap(([name, value]) => {
    return value === undefined ? [] : [[name, containsSecret(value) ? '(withheld)' : value]]
  })
  return { ...entry, details: { ...entry.details, ...Object.fromEntries(shown) } }
}

export interface AuditEntry extends NewAuditEntry {
  /** Rises with every entry. */
  id: bigint
  /** The id of what it was done to; the first word of the action says what kind of thing that is. */
  subjectId: bigint | undefined
}

/** Selects entries, newest first. Undefined members match all. */
export interface AuditQuery {
  accountId?: bigint | undefined
  action?: AuditAction | undefined
  /** Only entries older than this one. */
  beforeId?: bigint | undefined
  limit: number
}
