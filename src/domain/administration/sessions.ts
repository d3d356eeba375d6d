import { isUsable, type OperatorToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { csrfTokenOf, generateSession, SESSION_MS, type Session } from '../session.ts'
import { type Acting, entryOf } from './acting.ts'

/** A session as it begins: the only moment at which its secret is known. */
interface BegunSession extends Session {
  secret: string
  csrfToken: string
}

/**
 * Signs a browser in: for twelve hours, and never for longer than the token lasts.
 * @param former the secrets of the sessions that the browser had before: they end
 */
export async function signIn(
  acting: Acting,
  token: OperatorToken,
  former: readonly string[] = [],
): Promise<BegunSession> {
  const secret = generateSession()
  const expiresAt = Math.min(acting.now + SESSION_MS, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = entryOf(acting, 'session.sign-in', { token: String(token.id) })
  await acting.store.createSession(
    { hash: hashSecret(secret), tokenId: token.id, expiresAt, replaces: former.map(hashSecret) },
    entry,
  )
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
