import * as bans from '../../domain/administration/bans.ts'
import * as keys from '../../domain/administration/keys.ts'
import { banJson, issuedKeyJson, keyJson } from '../../schema/operator-json.ts'
import { defineHandler, type Request, type WithBody, type WithQuery } from '../handler.ts'
import { type KeyRotation, type KeySearch, type NewestFirst, type NewKey, parseExpiresAt } from '../request-schemas.ts'

const CHECKOUT = {
  id: 1,
  accountId: 1,
  account: 'Acme Pets',
  name: 'Checkout',
  hint: 'x7Qk',
  state: 'active',
  createdAt: '2026-01-05T09:31:00.000Z',
  expiresAt: '2099-12-31T00:00:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
  replacedBy: null,
}
/** A placeholder. */
const ISSUED = { key: '<API_KEY>', ...CHECKOUT }

const BAN = {
  id: 1,
  keyId: 1,
  accountId: 1,
  account: 'Acme Pets',
  keyName: 'Checkout',
  startedAt: '2026-03-02T11:00:00.000Z',
  endsAt: '2026-03-02T11:15:00.000Z',
  liftedAt: null,
  ordinal: 1,
}

export const listKeys = defineHandler({
  id: 'listKeys',
  summary: 'List API keys',
  errors: ['not_found'],
  page: 'after',
  examples: { ofAcme: { query: { account: 'Acme Pets', after: 0, limit: 20 }, response: [CHECKOUT] } },
  async handle({ context, query: { account, after, limit } }: WithQuery<typeof KeySearch>) {
    const found = await keys.listKeys(context.store, account, { afterId: after, limit: limit + 1 })
    return found.map(key => keyJson(key, context.now))
  },
})

export const issueKey = defineHandler({
  id: 'issueKey',
  summary: 'Issue an API key',
  description: 'The response is the only place where the key is shown.',
  errors: ['invalid_input'],
  location: '/keys',
  examples: {
    unlimited: { id: 1, body: {}, response: { ...ISSUED, name: null, expiresAt: null } },
    limited: { id: 1, body: { name: 'Checkout', expiresAt: '2099-12-31T00:00:00Z' }, response: ISSUED },
  },
  async handle({ context, id, body }: WithBody<typeof NewKey>) {
    return issuedKeyJson(
      await keys.issueKey(context, { account: id, name: body.name, expiresAt: parseExpiresAt(body) }),
    )
  },
})

export const readKey = defineHandler({
  id: 'readKey',
  summary: 'Get an API key',
  examples: { checkout: { id: 1, response: CHECKOUT } },
  handle: async ({ context, id }: Request) => keyJson(await keys.findKey(context.store, id), context.now),
})

export const rotateKey = defineHandler({
  id: 'rotateKey',
  summary: 'Rotate an API key',
  description:
    'Issues a successor with the same name and expiry. The old key keeps working for the overlap, but never past its own expiry.',
  errors: ['conflict'],
  location: '/keys',
  examples: { inAnHour: { id: 1, body: { overlapSeconds: 3_600 }, response: { ...ISSUED, id: 2 } } },
  async handle({ context, id, body: { overlapSeconds } }: WithBody<typeof KeyRotation>) {
    const { issued } = await keys.rotateKey(context, { keyId: id, overlapSeconds })
    return issuedKeyJson(issued)
  },
})

export const revokeKey = defineHandler({
  id: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'The key is refused from its next call. This cannot be undone.',
  errors: ['conflict'],
  examples: {
    checkout: { id: 1, response: { ...CHECKOUT, state: 'revoked', revokedAt: '2026-03-02T12:00:00.000Z' } },
  },
  handle: async ({ context, id }: Request) => keyJson(await keys.revokeKey(context, id), context.now),
})

export const listBans = defineHandler({
  id: 'listBans',
  summary: 'List the bans in force',
  page: 'before',
  examples: { newest: { query: { before: 1_000, limit: 20 }, response: [BAN] } },
  async handle({ context: { store, now }, query: { before, limit } }: WithQuery<typeof NewestFirst>) {
    const found = await bans.listBans(store, now, { beforeId: before, limit: limit + 1 })
    return found.map(banJson)
  },
})

export const liftBan = defineHandler({
  id: 'liftBan',
  summary: 'Lift the ban of a key',
  description: 'Ends the ban at once. It still counts towards the length of the next one.',
  errors: ['conflict'],
  examples: { checkout: { id: 1, response: { ...BAN, liftedAt: '2026-03-02T11:05:00.000Z' } } },
  handle: async ({ context, id }: Request) => banJson(await bans.liftBan(context, id)),
})
