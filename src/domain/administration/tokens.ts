import { UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { parseLabel } from '../label.ts'
import { generateToken, isUsable, isWellFormedToken, type OperatorToken, parseRole } from '../operator.ts'
import { checkExpiry, hashSecret, hintOf } from '../secret.ts'
import type { OperatorStore } from '../store/operators.ts'
import { optionalIsoTime } from '../time.ts'
import { type AdminContext, entryOf } from './context.ts'

/** A token that was just created: only then is the token itself known. */
export interface IssuedToken extends OperatorToken {
  token: string
}

export async function createToken(
  context: AdminContext,
  { expiresAt, ...given }: { name: string; role: string; expiresAt?: number | undefined },
): Promise<IssuedToken> {
  const { store, deployment, now } = context
  const name = parseLabel(given.name, 'A token name')
  const role = parseRole(given.role)
  checkExpiry(expiresAt, now, 'A token')
  const token = generateToken(deployment)
  const hint = hintOf(token)
  const entry = entryOf(context, 'token.create', { name, role, hint, expires: optionalIsoTime(expiresAt) })
  return { ...(await store.createToken({ hash: hashSecret(token), hint, name, role, expiresAt }, entry)), token }
}

/** Revokes a token, from its next call, and ends its sessions. This cannot be undone. */
export async function revokeToken(context: AdminContext, tokenId: string): Promise<OperatorToken> {
  const { store, now } = context
  const token = await findToken(store, tokenId)
  const entry = entryOf(context, 'token.revoke', { name: token.name, role: token.role, hint: token.hint })
  if (!(await store.revokeToken(token.id, entry))) {
    throw new UserError('conflict', `Token ${token.id} is already revoked.`)
  }
  return { ...token, revokedAt: now }
}

export async function findToken(store: OperatorStore, tokenId: string): Promise<OperatorToken> {
  const id = parseInt64(tokenId)
  const token = (await store.listTokens()).find(one => one.id === id)
  if (!token) throw new UserError('not_found', `There is no operator token with id "${tokenId}".`)
  return token
}

/** Returns the token if it is usable, otherwise the reason why not, for the log only. */
export async function examineToken(
  { store, deployment, now }: Pick<AdminContext, 'store' | 'deployment' | 'now'>,
  text: string,
): Promise<{ token: OperatorToken } | { reason: string }> {
  if (!isWellFormedToken(text, deployment)) return { reason: 'not an operator token of this deployment' }
  const token = await store.findToken(hashSecret(text))
  if (!token) return { reason: 'unknown' }
  if (isUsable(token, now)) return { token }
  return { reason: `token ${token.id} ${token.revokedAt === undefined ? 'has expired' : 'is revoked'}` }
}
