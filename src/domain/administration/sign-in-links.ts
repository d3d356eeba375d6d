import { parseLabel } from '../label.ts'
import { isUsable, type OperatorToken, type Role } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { generateSignInLink, isWellFormedSignInLink, SIGN_IN_LINK_MS, type SignInLink } from '../sign-in-link.ts'
import type { OperatorStore } from '../store/operators.ts'
import { isoTime } from '../time.ts'
import { type AdminContext, entryOf } from './context.ts'
import { createToken } from './tokens.ts'

/** A newly created link. Its secret is known only at this point. */
export interface NewSignInLink extends SignInLink {
  secret: string
}

/**
 * Creates a link that signs a browser in as the operator with this name and role. If there is no usable token with that name and role, one
 * is created but never shown: its operator can sign in only with links.
 */
export async function createSignInLink(
  context: AdminContext,
  { role, ...given }: { name: string; role: Role },
): Promise<NewSignInLink> {
  const { store, deployment, now } = context
  const name = parseLabel(given.name, 'A token name')
  const token = (await findTokenOf(store, { name, role, now })) ?? (await createToken(context, { name, role }))
  const secret = generateSignInLink(deployment)
  const expiresAt = Math.min(now + SIGN_IN_LINK_MS, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = entryOf(context, 'token.link', { after: { expiresAt: isoTime(expiresAt) } })
  await store.createSignInLink({ hash: hashSecret(secret), tokenId: token.id, expiresAt }, entry)
  return { token, expiresAt, secret }
}

/** The link with this secret, if it can still be used. */
export async function findUsableSignInLink(
  { store, deployment, now }: Pick<AdminContext, 'store' | 'deployment' | 'now'>,
  secret: string,
): Promise<SignInLink | undefined> {
  if (!isWellFormedSignInLink(secret, deployment)) return undefined
  const link = await store.findSignInLink(hashSecret(secret))
  return link && now < link.expiresAt && isUsable(link.token, now) ? link : undefined
}

interface Wanted {
  name: string
  role: Role
  now: number
}

async function findTokenOf(store: OperatorStore, { name, role, now }: Wanted): Promise<OperatorToken | undefined> {
  const tokens = await store.listTokens()
  return tokens.findLast(token => token.name === name && token.role === role && isUsable(token, now))
}
