import { isUsable, type OperatorToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { csrfTokenOf, generateSession, SESSION_MS, type Session } from '../session.ts'
import { type AdminContext, entryOf } from './context.ts'

/** A session that was just started: only then is its secret known. */
interface NewSession extends Session {
  secret: string
  csrfToken: string
}

/**
 * Signs a browser in, for twelve hours, or until the token expires.
 * @param former the secrets of the browser's previous sessions, which end
 */
export async function signIn(
  context: AdminContext,
  token: OperatorToken,
  former: readonly string[] = [],
): Promise<NewSession> {
  const secret = generateSession()
  const expiresAt = Math.min(context.now + SESSION_MS, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = entryOf(context, 'session.sign-in', { token: String(token.id) })
  await context.store.createSession(
    { hash: hashSecret(secret), tokenId: token.id, expiresAt, replaces: former.map(hashSecret) },
    entry,
  )
  return { token, expiresAt, secret, csrfToken: csrfTokenOf(secret) }
}

/** The session with this secret, unless it is over. */
export async function findUsableSession(
  { store, now }: Pick<AdminContext, 'store' | 'now'>,
  secret: string,
): Promise<Session | undefined> {
  const session = await store.findSession(hashSecret(secret))
  return session && now < session.expiresAt && isUsable(session.token, now) ? session : undefined
}

export async function signOut(context: AdminContext, secret: string): Promise<void> {
  await context.store.deleteSession(hashSecret(secret), entryOf(context, 'session.sign-out', {}))
}
