import * as links from '../../domain/administration/claim-links.ts'
import { CLAIM_LINK_STATES, MAX_CLAIM_LINK_SECONDS, MIN_CLAIM_LINK_SECONDS } from '../../domain/claim-link.ts'
import { Refusal } from '../../http/refusal.ts'
import { integer, oneOf } from '../../schema/fields.ts'
import { ClaimLinkJson, claimLinkJson, IssuedClaimLinkJson, issuedClaimLinkJson } from '../../schema/responses/keys.ts'
import { Type } from '../../schema/type.ts'
import { adminCreates } from '../creation.ts'
import { admin, staff } from '../operation.ts'
import { account, before, instant, KEY_EXPIRY, keyTerms, limit, parseInstant } from '../request-fields.ts'
import type { RunningService } from '../running-service.ts'

const OPEN = {
  id: 1,
  accountId: 1,
  account: 'Acme Pets',
  name: 'Checkout',
  scope: 'read',
  networks: ['192.0.2.0/24'],
  keyExpiresAt: '2099-12-31T00:00:00.000Z',
  state: 'open',
  createdAt: '2026-01-05T09:31:00.000Z',
  expiresAt: '2026-01-06T09:31:00.000Z',
  claimedAt: null,
  claimedFrom: null,
  keyId: null,
  revokedAt: null,
}
const CLAIMED = {
  ...OPEN,
  state: 'claimed',
  claimedAt: '2026-01-05T10:02:00.000Z',
  claimedFrom: '198.51.100.7',
  keyId: 1,
}

const listClaimLinks = staff('GET', '/claim-links', {
  summary: 'List claim links',
  description: 'Newest first.',
  query: Type.Object({
    account,
    state: Type.Optional(oneOf(CLAIM_LINK_STATES, 'Only links in this state.')),
    before,
    limit,
  }),
  response: Type.Array(ClaimLinkJson),
  errors: ['not_found'],
  examples: {
    ofAcme: { query: { account: 'Acme Pets', state: 'claimed', before: 1_000, limit: 20 }, response: [CLAIMED] },
  },
  async handle({ context: { store, now }, query }) {
    const { account, state, before, limit } = query
    const inState = state && { is: state, at: now }
    const found = await links.listClaimLinks(store, account, { state: inState, beforeId: before, limit: limit + 1 })
    return found.map(link => claimLinkJson(link, now))
  },
})

const VALIDITY = integer(
  MIN_CLAIM_LINK_SECONDS,
  MAX_CLAIM_LINK_SECONDS,
  'How long the link works, in seconds. The default is a setting of the service.',
)

const createClaimLink = adminCreates('POST', '/accounts/{accountId}/claim-links', {
  summary: 'Create a claim link',
  description:
    'The link opens a page with a button that issues an API key and shows it; after that, the link no longer works. This response is the only place where the link is shown.',
  body: Type.Object({ ...keyTerms, keyExpiresAt: instant(KEY_EXPIRY), validForSeconds: Type.Optional(VALIDITY) }),
  response: IssuedClaimLinkJson,
  errors: ['invalid_input'],
  location: '/claim-links',
  examples: {
    checkout: {
      id: 1,
      body: {
        name: 'Checkout',
        scope: 'read',
        networks: ['192.0.2.0/24'],
        keyExpiresAt: '2099-12-31T00:00:00Z',
        validForSeconds: 86_400,
      },
      response: { link: 'https://petstore.example/claim/CLAIM_SECRET', ...OPEN },
    },
  },
  create({ context, service, id, body }) {
    const { name, scope, networks, validForSeconds = service.claimLinkSeconds } = body
    requireBaseUrl(service)
    return links.createClaimLink(context, {
      account: id,
      terms: { name, scope, networks, expiresAt: parseInstant('keyExpiresAt', body) },
      validForSeconds,
    })
  },
  answer: (issued, { service }) => issuedClaimLinkJson(issued, requireBaseUrl(service)),
})

/** @throws Refusal service_unavailable while the public listener starts */
function requireBaseUrl(service: RunningService): string {
  const baseUrl = service.publicUrl()
  if (baseUrl === undefined) throw new Refusal('service_unavailable')
  return baseUrl
}

const readClaimLink = staff('GET', '/claim-links/{linkId}', {
  summary: 'Get a claim link',
  response: ClaimLinkJson,
  examples: { claimed: { id: 1, response: CLAIMED } },
  handle: async ({ context: { store, now }, id }) => claimLinkJson(await links.findClaimLink(store, id), now),
})

const revokeClaimLink = admin('POST', '/claim-links/{linkId}/revoke', {
  summary: 'Revoke a claim link',
  description: 'The link can no longer be used to claim a key. This cannot be undone.',
  response: ClaimLinkJson,
  errors: ['conflict'],
  examples: {
    checkout: { id: 1, response: { ...OPEN, state: 'revoked', revokedAt: '2026-01-05T09:40:00.000Z' } },
  },
  handle: async ({ context, id }) => claimLinkJson(await links.revokeClaimLink(context, id), context.now),
})

export const CLAIM_LINKS = { listClaimLinks, createClaimLink, readClaimLink, revokeClaimLink }
