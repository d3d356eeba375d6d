import type { BanOfKey } from '../../domain/administration/bans.ts'
import type { IssuedClaimLink } from '../../domain/administration/claim-links.ts'
import { FOUND_STATES, type FoundSecret } from '../../domain/administration/find-secret.ts'
import type { IssuedKey } from '../../domain/administration/keys.ts'
import { type ApiKey, bannedUntil, KEY_SCOPES } from '../../domain/api-key.ts'
import { BAN_STATES, banState } from '../../domain/ban.ts'
import { CLAIM_LINK_STATES, type ClaimLink, claimLinkState } from '../../domain/claim-link.ts'
import { MAX_NETWORKS, NETWORK_PATTERN } from '../../domain/networks.ts'
import { SECRET_STATES, secretState } from '../../domain/secret.ts'
import { SECRET_KINDS } from '../../domain/secret-forms.ts'
import { claimAddress } from '../claim-address.ts'
import { id, named, nullable, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'
import { TokenJson, tokenJson } from './operators.ts'

export const KeyScopeName = oneOf(KEY_SCOPES, 'A `read` key cannot add animals.')

/** Networks as `domain/networks.ts` reads them. */
export const Networks = (description: string) =>
  Type.Array(Type.String({ pattern: NETWORK_PATTERN }), { description, minItems: 1, maxItems: MAX_NETWORKS })

export const KeyJson = named('Key', 'An API key. The key itself is not stored.', {
  id: id('Identifier of the key.'),
  accountId: id('The account that owns it.'),
  account: text('The name of that account.'),
  name: nullable(text('The name of the key.')),
  scope: KeyScopeName,
  networks: nullable(Networks('The CIDR ranges that it may call from; null if it may call from anywhere.')),
  hint: text('The last characters of the key.'),
  state: oneOf(SECRET_STATES, 'Only an active key can call.'),
  createdAt: time('When it was issued.'),
  expiresAt: nullable(time('When it expires; null if never.')),
  revokedAt: nullable(time('When it was revoked.')),
  lastUsedAt: nullable(time('When it last called, as far back as usage is kept.')),
  lastUsedFrom: nullable(
    text(
      'Where that call came from, as far back as usage is kept: an IPv4 address, the /64 network of an IPv6 address, or `unknown`.',
    ),
  ),
  replacedBy: nullable(id('The key that replaced it when it was rotated.')),
  bannedUntil: nullable(
    time('When the last of its bans in force ends; null if there is none. A ban applies to one source.'),
  ),
})

export const IssuedKeyJson = named('IssuedKey', 'A newly issued API key.', {
  key: text('The key itself. It is shown only once.'),
  ...KeyJson.properties,
})

export const ClaimLinkJson = named(
  'ClaimLink',
  'A link to a page that issues one API key. The link itself is not stored.',
  {
    id: id('Identifier of the link.'),
    accountId: id('The account that the key is for.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    scope: KeyScopeName,
    networks: nullable(Networks('The CIDR ranges that the key may call from; null if it may call from anywhere.')),
    keyExpiresAt: nullable(time('When the key expires; null if never.')),
    state: oneOf(CLAIM_LINK_STATES, 'Only an open link can be claimed.'),
    createdAt: time('When the link was created.'),
    expiresAt: time('When the link expires.'),
    claimedAt: nullable(time('When the key was claimed.')),
    claimedFrom: nullable(text('The address that claimed it.')),
    keyId: nullable(id('The key that was claimed.')),
    revokedAt: nullable(time('When the link was revoked.')),
  },
)

export const IssuedClaimLinkJson = named('IssuedClaimLink', 'A newly created claim link.', {
  link: Type.String({ description: 'The link itself. It is shown only once.', format: 'uri' }),
  ...ClaimLinkJson.properties,
})

export const BanJson = named('Ban', 'A temporary ban of one API key for one source.', {
  id: id('Identifier of the ban.'),
  keyId: id('The key that is banned.'),
  accountId: id('The account that owns the key.'),
  account: text('The name of that account.'),
  keyName: nullable(text('The name of the key.')),
  source: nullable(
    text(
      'Where calls with the key are banned from: an IPv4 address, the /64 network of an IPv6 address, or `unknown`. Null for a ban by an earlier release, which applies to every address.',
    ),
  ),
  state: oneOf(BAN_STATES, 'A ban in force has neither ended nor been lifted.'),
  startedAt: time('When it began.'),
  endsAt: time('When it ends.'),
  liftedAt: nullable(time('When an operator lifted it.')),
  ordinal: Type.Integer({
    description:
      'Which ban of the source in a row this is (1 = first). Each is twice as long as the one before. A ban earned in an exhausted day ends with that day at the latest, and does not count.',
    minimum: 1,
  }),
})

export const FoundSecretJson = named('FoundSecret', 'Whose a secret is. The secret itself is not in it.', {
  kind: nullable(
    oneOf(SECRET_KINDS, 'What the secret is for. Null if its prefix is missing, and the rest does not show that.'),
  ),
  state: oneOf(
    FOUND_STATES,
    'A key, an operator token or a session is `active`, `expired` or `revoked`; a claim link is `open`, `claimed`, `expired` or `revoked`. ' +
      '`mistyped`: it has a typing error, or a part is missing. `other-deployment`: it is of staging, and this is production, or the other way round. ' +
      '`unknown`: it was deleted, has ended, or never existed.',
  ),
  key: nullable(KeyJson),
  claimLink: nullable(ClaimLinkJson),
  token: nullable(TokenJson),
  endsAt: nullable(time('When a session or a sign-in link ends. `token` is the operator token that it belongs to.')),
})

export function foundSecretJson({ kind, state, key, claimLink, token, endsAt }: FoundSecret, now: number) {
  return {
    ...writeJson(FoundSecretJson, { kind, state, key: undefined, claimLink: undefined, token: undefined, endsAt }),
    key: key ? keyJson(key, now) : null,
    claimLink: claimLink ? claimLinkJson(claimLink, now) : null,
    token: token ? tokenJson(token, now) : null,
  }
}

export function keyJson({ accountName, banEndsAt, ...key }: ApiKey, now: number) {
  const computed = { state: secretState(key, now), bannedUntil: bannedUntil({ banEndsAt }, now) }
  return writeJson(KeyJson, { ...key, account: accountName, ...computed })
}

export function issuedKeyJson(issued: IssuedKey) {
  return { key: issued.key, ...keyJson(issued, issued.createdAt) }
}

export function claimLinkJson({ terms, accountName, accountSuspendedAt: _, ...link }: ClaimLink, now: number) {
  const { expiresAt: keyExpiresAt, ...others } = terms
  const state = claimLinkState(link, now)
  return writeJson(ClaimLinkJson, { ...link, ...others, keyExpiresAt, account: accountName, state })
}

/** @param baseUrl the public base address, with /v1 */
export function issuedClaimLinkJson(issued: IssuedClaimLink, baseUrl: string) {
  return { link: claimAddress(baseUrl, issued.secret), ...claimLinkJson(issued, issued.createdAt) }
}

export function banJson({ ban, key }: BanOfKey, now: number) {
  const { earnedIn: _, ...shown } = ban
  const ofKey = { accountId: key.accountId, account: key.accountName, keyName: key.name }
  return writeJson(BanJson, { ...shown, ...ofKey, state: banState(ban, now) })
}
