import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { generateToken, isUsable, isWellFormedToken, type OperatorToken, parseRole } from '../operator.ts'
import { hashSecret, hintOf } from '../secret.ts'
import { csrfTokenOf, generateSession, SESSION_MS, type Session } from '../session.ts'
import { type Acting, entryOf, isoTime } from './acting.ts'
import { checkExpiry, parseLabel } from './labels.ts'

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
  const entry = entryOf(acting, 'token.create', { name, role, hint, expires: isoTime(expiresAt) })
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

/** The token that a text is, if it lets its holder in at `now`. */
export async function findUsableToken(
  { store, deployment, now }: Pick<Acting, 'store' | 'deployment' | 'now'>,
  text: string,
): Promise<OperatorToken | undefined> {
  const token = isWellFormedToken(text, deployment) ? await store.findToken(hashSecret(text)) : undefined
  return token && isUsable(token, now) ? token : undefined
}

/** A session as it begins: the only moment at which its secret is known. */
export interface BegunSession extends Session {
  secret: string
  csrfToken: string
}

/** Signs a browser in: for twelve hours, and never for longer than the token lasts. */
export async function signIn(acting: Acting, token: OperatorToken): Promise<BegunSession> {
  const secret = generateSession()
  const expiresAt = Math.min(acting.now + SESSION_MS, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = entryOf(acting, 'session.sign-in', { token: String(token.id) })
  await acting.store.createSession({ hash: hashSecret(secret), tokenId: token.id, expiresAt }, entry)
  return { token, expiresAt, secret, csrfToken: csrfTokenOf(secret) }
}

/** The session that a secret opens, if it is not over at `now`. */
export async function findUsableSession(
  { store, now }: Pick<Acting, 'store' | 'now'>,
  secret: string,
): Promise<Session | undefined> {
  const session = await store.findSession(hashSecret(secret))
  return session && now < session.expiresAt && isUsable(session.token, now) ? session : undefined
}

export async function signOut(acting: Acting, secret: string): Promise<void> {
  await acting.store.deleteSession(hashSecret(secret), entryOf(acting, 'session.sign-out', {}))
}
