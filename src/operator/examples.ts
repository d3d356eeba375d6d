import type { Json } from '../http/openapi/references.ts'

/** A call of an operation that is carried out, and what is answered: its ids stand for those of things that are there. */
export interface Example {
  /** What is in the place of the path's `{…}`. */
  id?: number
  query?: Json
  headers?: Record<string, string>
  body?: Json
  answer?: unknown
}

const REX = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const BELLA = { id: 2, name: 'Bella', categoryId: 1, status: 'available' }

const ACCOUNT = {
  id: 1,
  name: 'Acme Pets',
  plan: 'pro',
  perMinute: 300,
  perDay: 10_000,
  state: 'active',
  suspendedAt: null,
  createdAt: '2026-01-05T09:30:00.000Z',
  deprecatedCalls: 12,
  lastDeprecatedCallAt: '2026-03-02T11:20:00.000Z',
}
const BUSINESS = { ...ACCOUNT, plan: 'business', perMinute: 1_000, perDay: 100_000 }
const ENTERPRISE = { ...ACCOUNT, plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }

const KEY = {
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

const ANNA = { tokenId: 1, name: 'Anna', role: 'admin' }
const USAGE = {
  admitted: 1_040,
  refused: 3,
  banned: 0,
  status2xx: 1_000,
  status3xx: 20,
  status4xx: 20,
  status5xx: 0,
  lastAt: '2026-03-02T11:20:00.000Z',
}
const CREATION = {
  id: 2,
  at: '2026-01-05T09:30:00.000Z',
  actor: 'Anna (token 1)',
  origin: '127.0.0.1',
  action: 'account.create',
  subjectId: 1,
  accountId: 1,
  details: { name: 'Acme Pets', plan: 'pro' },
}

/** Secrets are placeholders. */
const API_KEY = '<API_KEY>'
const OPERATOR_TOKEN = '<OPERATOR_TOKEN>'
const CSRF_TOKEN = '<CSRF_TOKEN>'

/** Examples of every operation, by its id and their own names. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  searchPets: {
    available: { query: { status: 'available', limit: 2 }, answer: [REX, BELLA] },
    byName: { query: { name: 'rex', categoryId: 1, after: 0 }, answer: [REX] },
    byId: { query: { id: 1 }, answer: [REX] },
  },
  addPet: { available: { body: { name: 'Rex', categoryId: 1 }, answer: REX } },
  readPet: { rex: { id: 1, answer: REX } },
  correctPet: {
    sold: { id: 1, headers: { 'If-Match': '*' }, body: { status: 'sold' }, answer: { ...REX, status: 'sold' } },
  },
  deletePet: { bella: { id: 2, headers: { 'If-Match': '*' } } },

  listAccounts: { first: { query: { after: 0, limit: 20 }, answer: [ACCOUNT] } },
  createAccount: {
    pro: { body: { name: 'Acme Pets', plan: 'pro' }, answer: ACCOUNT },
    enterprise: {
      body: { name: 'Globex', plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 },
      answer: { ...ENTERPRISE, name: 'Globex' },
    },
  },
  readAccount: { acme: { id: 1, answer: ACCOUNT } },
  renameAccount: { acme: { id: 1, body: { name: 'Acme Animals' }, answer: { ...ACCOUNT, name: 'Acme Animals' } } },
  deleteAccount: { acme: { id: 1 } },
  setPlan: {
    business: { id: 1, body: { plan: 'business' }, answer: BUSINESS },
    enterprise: { id: 1, body: { plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }, answer: ENTERPRISE },
  },
  suspendAccount: {
    acme: { id: 1, answer: { ...ACCOUNT, state: 'suspended', suspendedAt: '2026-03-02T12:00:00.000Z' } },
  },
  resumeAccount: { acme: { id: 1, answer: ACCOUNT } },

  listKeys: { ofAcme: { query: { account: 'Acme Pets', after: 0, limit: 20 }, answer: [KEY] } },
  issueKey: {
    unlimited: { id: 1, body: {}, answer: { key: API_KEY, ...KEY, name: null, expiresAt: null } },
    limited: {
      id: 1,
      body: { name: 'Checkout', expiresAt: '2099-12-31T00:00:00Z' },
      answer: { key: API_KEY, ...KEY },
    },
  },
  readKey: { checkout: { id: 1, answer: KEY } },
  rotateKey: { inAnHour: { id: 1, body: { overlapSeconds: 3_600 }, answer: { key: API_KEY, ...KEY, id: 2 } } },
  revokeKey: {
    checkout: { id: 1, answer: { ...KEY, state: 'revoked', revokedAt: '2026-03-02T12:00:00.000Z' } },
  },
  listBans: { newest: { query: { before: 1_000, limit: 20 }, answer: [BAN] } },
  liftBan: { checkout: { id: 1, answer: { ...BAN, liftedAt: '2026-03-02T11:05:00.000Z' } } },

  sumUsage: {
    deprecated: {
      query: { operation: 'getPet', from: '2026-01-01', by: 'account' },
      answer: [{ accountId: 1, account: 'Acme Pets', ...USAGE }],
    },
    daily: {
      query: { account: 'Acme Pets', from: '2026-03-01', to: '2026-03-31', by: 'day,operation' },
      answer: [{ day: '2026-03-02', operation: 'listPets', ...USAGE }],
    },
  },
  listAudit: {
    creations: {
      query: { account: 'Acme Pets', action: 'account.create', before: 1_000, limit: 20 },
      answer: [CREATION],
    },
  },

  signIn: {
    anna: {
      body: { token: OPERATOR_TOKEN },
      answer: { operator: ANNA, expiresAt: '2026-03-02T23:00:00.000Z', csrfToken: CSRF_TOKEN },
    },
  },
  readSession: {
    anna: { answer: { operator: ANNA, expiresAt: '2026-03-02T23:00:00.000Z', csrfToken: CSRF_TOKEN } },
  },
  signOut: { anna: {} },
}
