import type { IssuedSignInLink } from '../../domain/administration/sign-in-links.ts'
import type { IssuedToken } from '../../domain/administration/tokens.ts'
import { type OperatorToken, PEOPLE, ROLES } from '../../domain/operator.ts'
import { SECRET_STATES, secretState } from '../../domain/secret.ts'
import { id, named, nullable, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'

export const RoleName = Type.Named(
  'Role',
  oneOf(
    ROLES,
    '`feed` can send the file of one source, and nothing else; `staff` can manage animals and read everything except tokens; `admin` can do everything.',
  ),
)
export const RoleOfPeople = oneOf(
  PEOPLE,
  '`staff` can manage animals and read everything except tokens; `admin` can do everything.',
)

export const TokenJson = named('Token', 'An operator token. The token itself is not stored.', {
  id: id('Identifier of the token.'),
  name: text('The name of its holder.'),
  role: RoleName,
  source: nullable(text('The only source whose file it can send, if its role is `feed`.')),
  hint: text('The last characters of the token.'),
  state: oneOf(SECRET_STATES, 'Only an active token can call.'),
  createdAt: time('When it was created.'),
  expiresAt: nullable(time('When it expires; null if never.')),
  revokedAt: nullable(time('When it was revoked.')),
})

export const IssuedTokenJson = named('IssuedToken', 'A newly created operator token.', {
  token: text('The token itself. It is shown only once.'),
  ...TokenJson.properties,
})

export const IssuedSignInLinkJson = named('IssuedSignInLink', 'A link that signs a browser in once, without a token.', {
  link: text(
    'Its secret, for `POST /session`; shown only once. The address to open is `/console/sign-in#` and this secret, below the address of this listener.',
  ),
  tokenId: id('The token that it signs in with. Revoking that token ends the link, too.'),
  expiresAt: time('When the link expires, at the latest with the token.'),
})

const OperatorJson = named('Operator', 'The operator making the call.', {
  tokenId: id('The token of the operator.'),
  name: text('The name of the token.'),
  role: RoleName,
})

export const SessionJson = named('Session', 'The signed-in operator.', {
  operator: OperatorJson,
  expiresAt: nullable(time('When the session, or the token, expires.')),
  csrfToken: nullable(text('Send it as `X-CSRF-Token` with every change. Null without a session.')),
})

export function tokenJson(token: OperatorToken, now: number) {
  return writeJson(TokenJson, { ...token, state: secretState(token, now) })
}

export function issuedSignInLinkJson({ secret: link, ...issued }: IssuedSignInLink) {
  return writeJson(IssuedSignInLinkJson, { link, ...issued })
}

export function issuedTokenJson(issued: IssuedToken) {
  return { token: issued.token, ...tokenJson(issued, issued.createdAt) }
}
