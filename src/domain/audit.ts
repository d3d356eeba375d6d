import { bearsSecret } from './secret.ts'

/** Everything that operators do and that is written down. */
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

/** What is written down of a deed before it is done: in the same transaction, so that neither is there without the other. */
export interface NewAuditEntry {
  /** Unix milliseconds. */
  at: number
  actor: string
  origin: string
  action: AuditAction
  /** The account that it concerns, if it concerns one. */
  accountId?: bigint | undefined
  /** What else matters, in words; never a secret. */
  details: Readonly<Record<string, string>>
}

/** The entry with these details besides. Those that are undefined are left out, and those that contain a secret are withheld. */
export function withDetails(
  entry: NewAuditEntry,
  details: Readonly<Record<string, string | undefined>>,
): NewAuditEntry {
  const shown = Object.entries(details).flatMap(([name, value]) => {
    return value === undefined ? [] : [[name, bearsSecret(value) ? '(withheld)' : value]]
  })
  return { ...entry, details: { ...entry.details, ...Object.fromEntries(shown) } }
}

export interface AuditEntry extends NewAuditEntry {
  /** Rises with every entry. */
  id: bigint
  /** The id of what was acted on: of what kind it is, the action's first word says. */
  subjectId: bigint | undefined
}

/** Which entries are wanted; what is left out does not matter. The newest come first. */
export interface AuditQuery {
  accountId?: bigint | undefined
  action?: AuditAction | undefined
  /** Only entries older than this one. */
  beforeId?: bigint | undefined
  limit: number
}
