import type { OperatorToken } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { csrfTokenOf, generateSession, isUsableSession, SESSION_MS, type Session } from '../session.ts'
import { type AdminContext, entryOf } from './context.ts'

/** A newly started session. Its secret is known only at this point. */
interface NewSession extends Session {
  secret: string
  csrfToken: string
}

/**
 * Signs a browser in for twelve hours, or until the token expires.
 * @param former the secrets of the browser's previous sessions, which end
 */
export async function signIn(
  context: AdminContext,
  token: OperatorToken,
  former: readonly string[] = [],
): Promise<NewSession> {
  const { started, stored } = prepareSession(context, token, former)
  await context.store.createSession(stored, entryOf(context, 'session.sign-in'))
  return started
}

/** Signs a browser in with a link, which then no longer works. Undefined if another browser has just used it. */
export async function signInByLink(
  context: AdminContext,
  { token, secret }: { token: OperatorToken; secret: string },
  former: readonly string[] = [],
): Promise<NewSession | undefined> {
  const { started, stored } = prepareSession(context, token, former)
  const entry = entryOf(context, 'session.sign-in', { details: { by: 'sign-in link' } })
  return (await context.store.redeemSignInLink(hashSecret(secret), stored, entry)) ? started : undefined
}

function prepareSession({ now }: AdminContext, token: OperatorToken, former: readonly string[]) {
  const secret = generateSession()
  const expiresAt = Math.min(now + SESSION_MS, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const started: NewSession = { token, expiresAt, secret, csrfToken: csrfTokenOf(secret) }
  return {
    started,
    stored: { hash: hashSecret(secret), tokenId: token.id, expiresAt, replaces: former.map(hashSecret) },
  }
}

export async function findUsableSession(
  { store, now }: Pick<AdminContext, 'store' | 'now'>,
  secret: string,
): Promise<Session | undefined> {
  const session = await store.findSession(hashSecret(secret))
  return session && isUsableSession(session, now) ? session : undefined
}

/** Needs no permit: it only ends one. */
export async function signOut(context: AdminContext, secret: string): Promise<void> {
  const entry = { ...entryOf(context, 'session.sign-out'), permit: undefined }
  await context.store.deleteSession(hashSecret(secret), entry)
}
