import type { AuditAction, AuditEntry } from '../api/schema.ts'
import { formatCounted } from './numbers.ts'

export const ACTION_NAMES: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Account created',
  'account.rename': 'Account renamed',
  'account.set-plan': 'Plan changed',
  'account.suspend': 'Account suspended',
  'account.resume': 'Account resumed',
  'account.delete': 'Account deleted',
  'key.issue': 'Key issued',
  'key.change': 'Key changed',
  'key.rotate': 'Key rotated',
  'key.revoke': 'Key revoked',
  'key.claim': 'Key claimed with a link',
  'claim-link.create': 'Claim link created',
  'claim-link.revoke': 'Claim link revoked',
  'ban.lift': 'Ban lifted',
  'pet.create': 'Animal added',
  'pet.correct': 'Animal corrected',
  'pet.delete': 'Animal deleted',
  'pet.correct-many': 'Animals corrected',
  'pet.delete-many': 'Animals deleted',
  'pet.import': 'Animals imported',
  'pet.update': 'Animals updated from a file',
  'pet.sync': 'Animals synced with a feed',
  'pet.undo': 'Undone',
  'pet.restore': 'Animal returned to an earlier state',
  'category.label': 'Category labelled',
  'category.unlabel': 'Label of a category removed',
  'source.create': 'Source created',
  'source.change': 'Source changed',
  'source.remove': 'Source removed',
  'token.create': 'Operator token created',
  'token.link': 'Sign-in link created',
  'token.revoke': 'Operator token revoked',
  'session.sign-in': 'Signed in',
  'session.sign-out': 'Signed out',
  'sign-in.refused': 'Sign-in refused',
  'store.restore': 'Store restored',
  'store.move': 'Store moved',
  'store.confirm-clock': 'Clock confirmed',
}

/** The kinds of actions, which are the first words of their names. */
export const KIND_NAMES: Readonly<Record<string, string>> = {
  account: 'Accounts',
  key: 'Keys',
  'claim-link': 'Claim links',
  ban: 'Bans',
  pet: 'Animals',
  category: 'Categories',
  source: 'Sources',
  token: 'Operator tokens',
  session: 'Sessions',
  'sign-in': 'Refused sign-ins',
  store: 'The store',
}

export const SUBJECT_NAMES: Readonly<Record<NonNullable<AuditEntry['subjectKind']>, string>> = {
  account: 'Account',
  key: 'Key',
  'claim-link': 'Claim link',
  ban: 'Ban',
  pet: 'Animal',
  category: 'Category',
  source: 'Source',
  token: 'Operator token',
}

/** A newer service may have actions that this page does not know. */
export function actionName(action: string): string {
  return ACTION_NAMES[action as AuditAction] ?? action
}

/** Such as "Animal 12"; undefined for subjects without an id. */
export function subjectNumber({ subjectKind, subjectId }: AuditEntry): string | undefined {
  if (subjectKind === null) return undefined
  const kind = SUBJECT_NAMES[subjectKind] ?? subjectKind
  return subjectId === null ? kind : `${kind} ${subjectId}`
}

/** What an action on many animals was about, such as "4 animals · list.xlsx"; undefined for other actions. */
export function describeMany({ details: { count, source, file } }: AuditEntry): string | undefined {
  const animals = count === undefined ? undefined : formatCounted(Number(count), 'animal')
  return [animals, source ?? file].filter(part => part !== undefined).join(' · ') || undefined
}

const MEMBERS: Readonly<Record<string, string>> = {
  count: 'Number of animals',
  firstId: 'First animal',
  lastId: 'Last animal',
  meanings: 'Words and their meanings',
  categoryId: 'Category',
  perMinute: 'Calls per minute',
  perDay: 'Calls per day',
  keyId: 'Key',
  tokenId: 'Operator token',
  entryId: 'Entry undone',
  kept: 'Not undone',
  scope: 'This key may',
  networks: 'From',
  hint: 'Ends in',
}

/** The name of a value, such as "Expires at" for `expiresAt`. */
export function memberName(member: string): string {
  const words = member.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return MEMBERS[member] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
