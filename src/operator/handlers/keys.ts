import { findAccount } from '../../domain/administration/accounts.ts'
import * as bans from '../../domain/administration/bans.ts'
import { findSecret as find } from '../../domain/administration/find-secret.ts'
import * as keys from '../../domain/administration/keys.ts'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../domain/administration/keys.ts'
import { KEY_STATES } from '../../domain/api-key.ts'
import { parseLabel } from '../../domain/label.ts'
import { parseNetworks } from '../../domain/networks.ts'
import { flag, integer, Label, nullable, oneOf } from '../../schema/fields.ts'
import {
  BanJson,
  banJson,
  FoundSecretJson,
  foundSecretJson,
  IssuedKeyJson,
  issuedKeyJson,
  KeyJson,
  KeyScopeName,
  keyJson,
  Networks,
} from '../../schema/responses/keys.ts'
import { Type } from '../../schema/type.ts'
import { adminCreates } from '../creation.ts'
import { admin, staff } from '../operation.ts'
import {
  account,
  after,
  before,
  instant,
  KEY_EXPIRY,
  KEY_NAME,
  keyTerms,
  limit,
  NETWORKS,
  parseInstant,
  searchText,
} from '../request-fields.ts'

const CHECKOUT = {
  id: 1,
  accountId: 1,
  account: 'Acme Pets',
  name: 'Checkout',
  scope: 'read-write',
  networks: null,
  hint: 'x7Qk',
  state: 'active',
  createdAt: '2026-01-05T09:31:00.000Z',
  expiresAt: '2099-12-31T00:00:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
  replacedBy: null,
  bannedUntil: null,
}
/** Enough for a line of a log or of a settings file. */
const MAX_SECRET_TEXT = 2_000

/** A placeholder. */
const ISSUED = { key: '<API_KEY>', ...CHECKOUT }

const BAN = {
  id: 1,
  keyId: 1,
  accountId: 1,
  account: 'Acme Pets',
  keyName: 'Checkout',
  source: '203.0.113.7',
  state: 'in-force',
  startedAt: '2026-03-02T11:00:00.000Z',
  endsAt: '2026-03-02T11:15:00.000Z',
  liftedAt: null,
  ordinal: 1,
}

const listKeys = staff('GET', '/keys', {
  summary: 'List and search API keys',
  description: 'Returns the keys that match all conditions, in ascending order of id.',
  query: Type.Object({
    account,
    state: Type.Optional(oneOf(KEY_STATES, 'Only keys in this state. A banned key is also active.')),
    search: searchText(
      'Part of the name (case and accents are ignored), or the last characters of the key.',
      'part of a name, or the last characters of a key',
    ),
    unusedSince: instant('Only keys issued before this time that have not called since, as far back as usage is kept.'),
    used: Type.Optional(flag('`true`: only keys that have called. `false`: only keys that never have.')),
    expiresBefore: instant('Only keys that expire before this time or have already expired.'),
    after,
    limit,
  }),
  response: Type.Array(KeyJson),
  errors: ['not_found', 'invalid_input'],
  examples: {
    ofAcme: { query: { account: 'Acme Pets', after: 0, limit: 20 }, response: [CHECKOUT] },
    search: { query: { search: 'check', state: 'active' }, response: [CHECKOUT] },
    unused: {
      query: { unusedSince: '2099-12-31T00:00:00Z', used: false, expiresBefore: '2100-01-01T00:00:00Z' },
      response: [CHECKOUT],
    },
  },
  async handle({ context, query }) {
    const { account, state, search, used, after, limit } = query
    const found = await keys.listKeys(context.store, account, {
      state: state && { is: state, at: context.now },
      search,
      used,
      unusedSince: parseInstant('unusedSince', query),
      expiresBefore: parseInstant('expiresBefore', query),
      afterId: after,
      limit: limit + 1,
    })
    return found.map(key => keyJson(key, context.now))
  },
})

const issueKey = adminCreates('POST', '/accounts/{accountId}/keys', {
  summary: 'Issue an API key',
  description: 'This response is the only place where the key is shown.',
  body: Type.Object({ ...keyTerms, expiresAt: instant(KEY_EXPIRY) }),
  response: IssuedKeyJson,
  errors: ['invalid_input'],
  location: '/keys',
  examples: {
    unlimited: { id: 1, body: {}, response: { ...ISSUED, name: null, expiresAt: null } },
    limited: {
      id: 1,
      body: { name: 'Checkout', scope: 'read', networks: ['192.0.2.0/24'], expiresAt: '2099-12-31T00:00:00Z' },
      response: { ...ISSUED, scope: 'read', networks: ['192.0.2.0/24'] },
    },
  },
  create({ context, id, body }) {
    return keys.issueKey(context, { ...body, account: id, expiresAt: parseInstant('expiresAt', body) })
  },
  answer: issuedKeyJson,
})

const readKey = staff('GET', '/keys/{keyId}', {
  summary: 'Get an API key',
  response: KeyJson,
  examples: { checkout: { id: 1, response: CHECKOUT } },
  handle: async ({ context, id }) => keyJson(await keys.findKey(context.store, id), context.now),
})

const findSecret = staff('POST', '/keys/find', {
  summary: 'Find out whose a secret is',
  description:
    'Says whose an API key is, its state, and when and from where it last called. Also knows operator tokens, sessions, claim links and sign-in links. ' +
    'The secret is neither logged nor kept; never send it in an address.',
  body: Type.Object({
    secret: Type.String({
      description: 'The secret, or a text that contains it, such as a whole link.',
      minLength: 1,
      maxLength: MAX_SECRET_TEXT,
      rule: `a text of 1 to ${MAX_SECRET_TEXT} characters`,
    }),
  }),
  response: FoundSecretJson,
  errors: ['invalid_input', 'not_found'],
  examples: {
    leaked: {
      body: { secret: '<API_KEY>' },
      response: {
        kind: 'key',
        state: 'active',
        key: { ...CHECKOUT, lastUsedAt: '2026-03-02T11:58:12.000Z', lastUsedFrom: '203.0.113.7' },
        claimLink: null,
        token: null,
        endsAt: null,
      },
    },
  },
  async handle({ context, body: { secret } }) {
    return foundSecretJson(await find(context, secret), context.now)
  },
})

const changeKey = admin('PATCH', '/keys/{keyId}', {
  summary: 'Change an API key',
  description: 'Changes its name, scope or networks, effective from its next call. Only an active key can be changed.',
  body: Type.Object(
    Type.Partial({
      name: Type.Union([Type.String(), Type.Null()], {
        rule: 'a string or null',
        check: (name: string | null) => name !== null && parseLabel(name, 'A key name'),
        described: nullable(Label(KEY_NAME)),
      }),
      scope: KeyScopeName,
      networks: Type.Union([Type.Array(Type.String()), Type.Null()], {
        rule: 'a list of IP addresses and CIDR ranges, or null',
        check: (networks: string[] | null) => networks !== null && parseNetworks(networks),
        described: nullable(Networks(`${NETWORKS}; null for anywhere.`)),
      }),
    }),
    { description: 'The members to change; omitted members do not change.' },
  ),
  response: KeyJson,
  errors: ['invalid_input', 'conflict'],
  examples: {
    scope: { id: 1, body: { scope: 'read' }, response: { ...CHECKOUT, scope: 'read' } },
    anonymous: { id: 1, body: { name: null, networks: null }, response: { ...CHECKOUT, name: null } },
  },
  async handle({ context, id, body }) {
    return keyJson(await keys.changeKey(context, id, body), context.now)
  },
})

const rotateKey = adminCreates('POST', '/keys/{keyId}/rotate', {
  summary: 'Rotate an API key',
  description:
    'Issues a successor with the same name, scope, networks and expiry. The old key keeps working for the overlap, but never past its own expiry.',
  body: Type.Object({
    overlapSeconds: integer(
      0,
      MAX_OVERLAP_SECONDS,
      `How long both keys work, in seconds. Default: ${DEFAULT_OVERLAP_SECONDS}.`,
      { default: DEFAULT_OVERLAP_SECONDS },
    ),
  }),
  response: IssuedKeyJson,
  errors: ['conflict'],
  location: '/keys',
  examples: { inAnHour: { id: 1, body: { overlapSeconds: 3_600 }, response: { ...ISSUED, id: 2 } } },
  async create({ context, id, body: { overlapSeconds } }) {
    return (await keys.rotateKey(context, { keyId: id, overlapSeconds })).issued
  },
  answer: issuedKeyJson,
})

const revokeKey = admin('POST', '/keys/{keyId}/revoke', {
  summary: 'Revoke an API key',
  description: 'The key is refused from its next call. This cannot be undone.',
  response: KeyJson,
  errors: ['conflict'],
  examples: {
    checkout: { id: 1, response: { ...CHECKOUT, state: 'revoked', revokedAt: '2026-03-02T12:00:00.000Z' } },
  },
  handle: async ({ context, id }) => keyJson(await keys.revokeKey(context, id), context.now),
})

const listBans = staff('GET', '/bans', {
  summary: 'List bans',
  description: 'Returns the bans in force, newest first. With `state=all`, also returns bans that are over.',
  query: Type.Object({
    account,
    state: Type.Optional(oneOf(['in-force', 'all'], 'Only bans in force, or all. Default: `in-force`.')),
    before,
    limit,
  }),
  response: Type.Array(BanJson),
  errors: ['not_found'],
  examples: {
    inForce: { query: { before: 1_000, limit: 20 }, response: [BAN] },
    ofAcme: { query: { account: 'Acme Pets', state: 'all' }, response: [BAN] },
  },
  async handle({ context: { store, now }, query }) {
    const { account, state, before, limit } = query
    const accountId = account === undefined ? undefined : (await findAccount(store, account)).id
    const inForceAt = state === 'all' ? undefined : now
    const found = await bans.listBans(store, { accountId, inForceAt, beforeId: before, limit: limit + 1 })
    return found.map(ban => banJson(ban, now))
  },
})

const listBansOfKey = staff('GET', '/keys/{keyId}/bans', {
  summary: 'List the bans of a key',
  description: 'Returns all bans of the key, newest first.',
  query: Type.Object({ before, limit }),
  response: Type.Array(BanJson),
  examples: { checkout: { id: 1, query: { before: 1_000, limit: 20 }, response: [BAN] } },
  async handle({ context: { store, now }, id, query: { before, limit } }) {
    const { id: keyId } = await keys.findKey(store, id)
    const found = await bans.listBans(store, { keyId, beforeId: before, limit: limit + 1 })
    return found.map(ban => banJson(ban, now))
  },
})

const LIFTED = { ...BAN, state: 'lifted', liftedAt: '2026-03-02T11:05:00.000Z' }

const liftBan = admin('POST', '/bans/{banId}/lift', {
  summary: 'Lift a ban',
  description: 'Ends the ban immediately. It still counts towards the length of the next ban.',
  response: BanJson,
  errors: ['conflict'],
  examples: { checkout: { id: 1, response: LIFTED } },
  handle: async ({ context, id }) => banJson(await bans.liftBan(context, id), context.now),
})

const liftBansOfKey = admin('POST', '/keys/{keyId}/lift-ban', {
  summary: 'Lift all bans of a key',
  description:
    'Ends all bans of the key that are in force, and returns the newest of them. They still count towards the length of the next ban.',
  response: BanJson,
  errors: ['conflict'],
  examples: { checkout: { id: 1, response: LIFTED } },
  async handle({ context, id }) {
    const [newest] = await bans.liftBansOfKey(context, id)
    return banJson(newest, context.now)
  },
})

export const KEYS = {
  listKeys,
  issueKey,
  readKey,
  findSecret,
  changeKey,
  rotateKey,
  revokeKey,
  listBans,
  listBansOfKey,
  liftBan,
  liftBansOfKey,
}
