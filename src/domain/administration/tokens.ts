import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { parseLabel } from '../label.ts'
import { generateToken, isUsable, isWellFormedToken, type OperatorToken, parseRole } from '../operator.ts'
import { hashSecret, hintOf } from '../secret.ts'
import { type Acting, entryOf, optionalTime } from './acting.ts'
import { checkExpiry } from './expiry.ts'

/** A token as it is created: the only moment at which the token itself is known. */
export interface IssuedToken extends OperatorToken {
  token: string
}

export async function createToken(
  acting: Acting,
  { name: wished, role: wishedRole, expiresAt }: { name: string; role: string; expiresAt?: number | undefined },
): Promise<IssuedToken> {
  const { store, deployment, now } = acting
  const name = parseLabel(wished, 'A token name')
  const role = parseRole(wishedRole)
  checkExpiry(expiresAt, now, 'A token')
  const token = generateToken(deployment)
  const hint = hintOf(token)
  const entry = entryOf(acting, 'token.create', { name, role, hint, expires: optionalTime(expiresAt) })
  return { ...(await store.createToken({ hash: hashSecret(token), hint, name, role, expiresAt }, entry)), token }
}

/** Revokes a token for good, from its next call on; the sessions that began with it end with it. */
export async function revokeToken(acting: Acting, tokenId: string): Promise<OperatorToken> {
  const { store, now } = acting
  const id = parseInt64(tokenId)
  const token = (await store.listTokens()).find(one => one.id === id)
  if (!token) throw new Mistake('not_found', `There is no operator token with id "${tokenId}".`)
  const entry = entryOf(acting, 'token.revoke', { name: token.name, role: token.role, hint: token.hint })
  if (!(await store.revokeToken(token.id, entry))) {
    throw new Mistake('conflict', `Token ${token.id} is revoked already.`)
  }
  return { ...token, revokedAt: now }
}

/** The token that a text is, if it lets its holder in at `now`; otherwise why not, for the log alone. */
export async function examineToken(
  { store, deployment, now }: Pick<Acting, 'store' | 'deployment' | 'now'>,
  text: string,
): Promise<{ token: OperatorToken } | { reason: string }> {
  if (!isWellFormedToken(text, deployment)) return { reason: 'no operator token of this deployment' }
  const token = await store.findToken(hashSecret(text))
  if (!token) return { reason: 'unknown' }
  if (isUsable(token, now)) return { token }
  return { reason: `token ${token.id} ${token.revokedAt === undefined ? 'has expired' : 'is revoked'}` }
}
