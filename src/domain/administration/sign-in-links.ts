import { conflict } from '../errors.ts'
import { parseLabel } from '../label.ts'
import { isUsable, type OperatorToken, type Role } from '../operator.ts'
import { hashSecret } from '../secret.ts'
import { generateSignInLink, isWellFormedSignInLink, OWN_LINK_SECONDS, type SignInLink } from '../sign-in-link.ts'
import type { OperatorStore } from '../store/operators.ts'
import { isoTime } from '../time.ts'
import { type AdminContext, entryOf } from './context.ts'
import { createToken, endOf, findToken, outlasts } from './tokens.ts'

/** A newly created link. Its secret is known only at this point. */
export interface NewSignInLink {
  token: OperatorToken
  expiresAt: number
  secret: string
}

interface Wanted {
  name: string
  role: Role
  validForSeconds?: number | undefined
}

/**
 * Creates a link that signs a browser in as the operator with this name and role. If there is no usable token with that name and role, one
 * is created but never shown: its operator can sign in only with links.
 */
export async function createSignInLink(
  context: AdminContext,
  { role, validForSeconds = OWN_LINK_SECONDS, ...given }: Wanted,
): Promise<NewSignInLink> {
  const { store, now } = context
  const name = parseLabel(given.name, 'A token name')
  const token = (await findTokenOf(store, { name, role, now })) ?? (await createToken(context, { name, role }))
  return { token, ...(await issueLink(context, token, validForSeconds)) }
}

/** A link for the holder of a token, as the service hands it out. */
export type IssuedSignInLink = Omit<NewSignInLink, 'token'> & { tokenId: bigint }

/**
 * Creates a link that signs a browser in with an existing token, for the person who holds that token. It ends with that token, which must not
 * outlast the token of the operator who creates it: a token that expires must leave no way in.
 */
export async function createLinkOfToken(
  context: AdminContext,
  tokenId: string,
  validForSeconds: number,
): Promise<IssuedSignInLink> {
  const { store, actor } = context
  const token = await findToken(store, tokenId)
  if (token.role === 'feed') throw conflict(`Token ${token.id} can only send the file of a source; it cannot sign in.`)
  const own = actor.permit && (await store.findToken(actor.permit.tokenId))
  if (own && outlasts(token, own)) throw conflict(`Token ${token.id} outlasts your own; create a new one.`)
  return { tokenId: token.id, ...(await issueLink(context, token, validForSeconds)) }
}

async function issueLink(context: AdminContext, token: OperatorToken, validForSeconds: number) {
  const { store, deployment, now } = context
  const secret = generateSignInLink(deployment)
  const expiresAt = Math.min(now + validForSeconds * 1_000, token.expiresAt ?? Number.POSITIVE_INFINITY)
  const entry = entryOf(context, 'token.link', { after: { expiresAt: isoTime(expiresAt) }, unstored: { secret } })
  const link = { hash: hashSecret(secret), tokenId: token.id, expiresAt }
  if (await store.createSignInLink(link, entry)) return { expiresAt, secret }
  throw conflict(`Token ${token.id} ${endOf(await findToken(store, String(token.id)))}; create a new one.`)
}

export async function findUsableSignInLink(
  { store, deployment, now }: Pick<AdminContext, 'store' | 'deployment' | 'now'>,
  secret: string,
): Promise<SignInLink | undefined> {
  if (!isWellFormedSignInLink(secret, deployment)) return undefined
  const link = await store.findSignInLink(hashSecret(secret))
  return link && now < link.expiresAt && isUsable(link.token, now) ? link : undefined
}

async function findTokenOf(
  store: OperatorStore,
  { name, role, now }: { name: string; role: Role; now: number },
): Promise<OperatorToken | undefined> {
  const tokens = await store.listTokens()
  return tokens.findLast(token => token.name === name && token.role === role && isUsable(token, now))
}
