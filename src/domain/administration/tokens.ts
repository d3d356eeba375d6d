import { conflict, invalid } from '../errors.ts'
import { parseLabel } from '../label.ts'
import { generateToken, isUsable, isWellFormedToken, type OperatorToken, parseRole, ROLES } from '../operator.ts'
import { checkExpiry, hashSecret, hintOf } from '../secret.ts'
import type { OperatorStore } from '../store/operators.ts'
import { formatTime, isoTime, optionalIsoTime } from '../time.ts'
import { type AdminContext, entryOf, findById } from './context.ts'
import { findSource } from './sources.ts'

/** A newly created token. The token itself is known only at this point. */
export interface IssuedToken extends OperatorToken {
  token: string
}

interface Wanted {
  name: string
  role?: string | undefined
  source?: string | undefined
  expiresAt?: number | undefined
}

/**
 * Operators cannot create a token that has a higher role than their own or outlasts it. Commands may create any token.
 * @param given with a source instead of a role, the token can only send the file of that source
 */
export async function createToken(context: AdminContext, { expiresAt, ...given }: Wanted): Promise<IssuedToken> {
  const { store, deployment, actor, now } = context
  const name = parseLabel(given.name, 'A token name')
  if (given.role !== undefined && given.source !== undefined) {
    throw invalid('A token has a role or a source, not both.', 'source')
  }
  const source = given.source === undefined ? undefined : (await findSource(store, given.source)).name
  const role = source === undefined ? parseRole(given.role ?? '') : 'feed'
  checkExpiry(expiresAt, now, 'A token')
  if (actor.permit) ensureWithin(await findToken(store, String(actor.permit.tokenId)), { role, expiresAt })
  const token = generateToken(deployment)
  const hint = hintOf(token)
  const entry = entryOf(context, 'token.create', {
    after: { name, role, source, hint, expiresAt: optionalIsoTime(expiresAt) ?? null },
    unstored: { token },
  })
  return {
    ...(await store.createToken({ hash: hashSecret(token), hint, name, role, source, expiresAt }, entry)),
    token,
  }
}

/** @throws UserError when a token would exceed the one of the operator who creates it */
function ensureWithin(own: OperatorToken, wanted: Pick<OperatorToken, 'role' | 'expiresAt'>): void {
  if (ROLES.indexOf(wanted.role) > ROLES.indexOf(own.role)) {
    throw invalid(`A token of the role ${own.role} cannot create one of the role ${wanted.role}.`, 'role')
  }
  if (own.expiresAt !== undefined && outlasts(wanted, own)) {
    const end = formatTime(own.expiresAt)
    throw invalid(`Your own token expires on ${end}; a new one must not outlast it.`, 'expiresAt')
  }
}

type Expiring = Pick<OperatorToken, 'expiresAt'>

export function outlasts(one: Expiring, other: Expiring): boolean {
  return (one.expiresAt ?? Number.POSITIVE_INFINITY) > (other.expiresAt ?? Number.POSITIVE_INFINITY)
}

/** Revokes a token, effective from its next call, and ends its sessions. This cannot be undone. */
export async function revokeToken(context: AdminContext, tokenId: string): Promise<OperatorToken> {
  const { store, now } = context
  const token = await findToken(store, tokenId)
  const entry = entryOf(context, 'token.revoke', {
    details: { name: token.name, role: token.role, hint: token.hint },
    before: { revokedAt: null },
    after: { revokedAt: isoTime(now) },
  })
  if (!(await store.revokeToken(token.id, entry))) throw conflict(`Token ${token.id} is already revoked.`)
  return { ...token, revokedAt: now }
}

export function findToken(store: OperatorStore, tokenId: string): Promise<OperatorToken> {
  return findById('operator token', tokenId, id => store.findToken(id))
}

/** Returns the token if it is usable, otherwise the reason why not, for the log only. */
export async function examineToken(
  { store, deployment, now }: Pick<AdminContext, 'store' | 'deployment' | 'now'>,
  text: string,
): Promise<{ token: OperatorToken } | { reason: string }> {
  if (!isWellFormedToken(text, deployment)) return { reason: 'not an operator token of this deployment' }
  const token = await store.findTokenByHash(hashSecret(text))
  if (!token) return { reason: 'unknown' }
  if (isUsable(token, now)) return { token }
  return { reason: `token ${token.id} ${endOf(token)}` }
}

/** Why a token can no longer be used, as the end of a sentence. */
export function endOf({ revokedAt }: OperatorToken): string {
  return revokedAt === undefined ? 'has expired' : 'is revoked'
}
