import { parseAccountName } from '../../domain/account.ts'
import * as accounts from '../../domain/administration/accounts.ts'
import { readWindows as readAccountWindows } from '../../domain/administration/windows.ts'
import { checkLimit, type Limits, MAX_LIMIT, PLANS, type Plan } from '../../domain/plan.ts'
import { ACCOUNT_ORDERS, type AccountOrder } from '../../domain/store/accounts.ts'
import { BLANK } from '../../domain/text-pattern.ts'
import { matchesAnything, refuseMismatch } from '../../http/conditional.ts'
import { Label, oneOf } from '../../schema/fields.ts'
import {
  AccountJson,
  AccountStateName,
  AccountWithUsageJson,
  accountEtag,
  PlanName,
  taggedAccountJson,
  taggedAccountWithUsageJson,
  WindowsJson,
  windowsJson,
} from '../../schema/responses/accounts.ts'
import { type Static, type TProperties, Type } from '../../schema/type.ts'
import { adminCreates } from '../creation.ts'
import type { Request } from '../handler.ts'
import { admin, staff } from '../operation.ts'
import { closed, idRule, limit, partOfName } from '../request-fields.ts'

const ACME = {
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
  etag: '"0m5hYf0cWmJ3m0bVQw7b8nQm3dE"',
}
const USED = { usageToday: { admitted: 9_040, refused: 12, banned: 0, usedPercent: 90 }, bannedKeys: 0 }
const SUSPENDED = { ...ACME, state: 'suspended', suspendedAt: '2026-03-02T12:00:00.000Z' }
const BUSINESS = { plan: 'business', perMinute: 1_000, perDay: 100_000 }
const ENTERPRISE = { plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }

/** The domain checks more than a schema can express; the OpenAPI document shows `described`. */
const accountName = Type.String({
  rule: 'a string',
  check: parseAccountName,
  described: Label('1 to 100 characters, not a number, and unique.', {
    not: { pattern: `^[${BLANK}]*([0-9]+|-[1-9][0-9]*)[${BLANK}]*$` },
  }),
})

/** A body that chooses a plan. Only enterprise has custom limits, and it requires both. */
function choosingPlan<Members extends TProperties>(members: Members) {
  const plan = (names: readonly Plan[]) => oneOf(names, 'The plan of the account.')
  const limitPer = (period: string) =>
    Type.Integer({ description: `Requests per ${period}.`, minimum: 1, maximum: MAX_LIMIT })
  const rule = `an integer from 1 to ${MAX_LIMIT}`
  const optionalLimit = Type.Optional(Type.Integer({ rule, check: checkLimit }))
  const fixed = { ...members, plan: plan(PLANS.filter(name => name !== 'enterprise')) }
  const own = { ...members, plan: plan(['enterprise']), perMinute: limitPer('minute'), perDay: limitPer('day') }
  return Type.Object(
    { ...members, plan: PlanName, perMinute: optionalLimit, perDay: optionalLimit },
    { described: { oneOf: [Type.Object(fixed, closed), Type.Object(own, closed)] } },
  )
}

const CHANGE = { response: AccountJson, hasETag: true, ifMatch: 'optional' } as const

const listAccounts = staff('GET', '/accounts', {
  summary: 'List and search accounts',
  description: 'Returns the accounts that match all conditions, with their calls of today.',
  query: Type.Object({
    name: partOfName,
    plan: Type.Optional(PlanName),
    state: Type.Optional(AccountStateName),
    sort: Type.Unsafe<AccountOrder>({
      ...oneOf(
        ACCOUNT_ORDERS,
        'The order of the list. `usage` begins with the largest share of the limit per day, `refused` with the most calls of today that were not admitted; between two pages, calls can move accounts.',
      ),
      default: 'oldest',
    }),
    after: Type.BigInt({
      description: 'Returns only items after the one with this id, in the order of the list.',
      default: 0n,
      ...idRule,
    }),
    limit,
  }),
  response: Type.Array(AccountWithUsageJson),
  errors: ['not_found'],
  examples: {
    first: { query: { after: 0, limit: 20 }, response: [{ ...ACME, ...USED }] },
    search: { query: { name: 'pets', plan: 'pro', state: 'active', sort: 'name' }, response: [{ ...ACME, ...USED }] },
    busiest: { query: { sort: 'usage', limit: 20 }, response: [{ ...ACME, ...USED }] },
  },
  async handle({ context, query: { after, limit, ...search } }) {
    const page = { at: context.now, afterId: after, limit: limit + 1 }
    const found = await accounts.listAccounts(context.store, { ...search, ...page })
    return found.map(taggedAccountWithUsageJson)
  },
})

const NewAccount = choosingPlan({ name: accountName })

const createAccount = adminCreates('POST', '/accounts', {
  summary: 'Create an account',
  body: NewAccount,
  response: AccountJson,
  errors: ['invalid_input', 'conflict'],
  location: '/accounts',
  hasETag: true,
  examples: {
    pro: { body: { name: 'Acme Pets', plan: 'pro' }, response: ACME },
    enterprise: { body: { name: 'Globex', ...ENTERPRISE }, response: { ...ACME, name: 'Globex', ...ENTERPRISE } },
  },
  create({ context, body }) {
    const { name, plan } = body
    return accounts.createAccount(context, { name, plan, limits: limitsOf(body) })
  },
  answer: taggedAccountJson,
})

const readAccount = staff('GET', '/accounts/{accountId}', {
  summary: 'Get an account',
  response: AccountJson,
  hasETag: true,
  examples: { acme: { id: 1, response: ACME } },
  handle: async ({ context, id }) => taggedAccountJson(await accounts.findAccount(context.store, id)),
})

const readWindows = staff('GET', '/accounts/{accountId}/windows', {
  summary: 'Get the live windows of an account',
  description:
    'Returns how many calls the account has used and has left, across all instances. Does not count as a call.',
  response: WindowsJson,
  examples: {
    acme: {
      id: 1,
      response: {
        at: '2026-03-02T11:20:05.250Z',
        complete: true,
        minute: { limit: 300, used: 12, remaining: 288, resetsAt: '2026-03-02T11:20:43.100Z' },
        day: { limit: 10_000, used: 2_345, remaining: 7_655, resetsAt: '2026-03-03T00:00:00.000Z' },
      },
    },
  },
  async handle({ context: { store, now }, id, limiter }) {
    const account = await accounts.findAccount(store, id)
    return windowsJson(await readAccountWindows(store, account, now, limiter))
  },
})

const renameAccount = admin('PATCH', '/accounts/{accountId}', {
  summary: 'Rename an account',
  body: Type.Object({ name: accountName }),
  ...CHANGE,
  errors: ['invalid_input', 'conflict'],
  examples: { acme: { id: 1, body: { name: 'Acme Animals' }, response: { ...ACME, name: 'Acme Animals' } } },
  async handle(request) {
    const { context, id, body } = request
    const change = { account: id, name: body.name, ...(await readExpected(request)) }
    return taggedAccountJson(await accounts.renameAccount(context, change))
  },
})

const deleteAccount = admin('DELETE', '/accounts/{accountId}', {
  summary: 'Delete an account',
  ifMatch: 'optional',
  description: 'Also deletes its keys and their bans. This cannot be undone. Its usage and its audit entries are kept.',
  examples: { acme: { id: 1 } },
  async handle(request) {
    await accounts.deleteAccount(request.context, request.id, await readExpected(request))
  },
})

const PlanChoice = choosingPlan({})

const setPlan = admin('PUT', '/accounts/{accountId}/plan', {
  summary: 'Change the plan of an account',
  body: PlanChoice,
  ...CHANGE,
  description: 'The new limits apply from the next call. Calls already counted still count.',
  errors: ['invalid_input'],
  examples: {
    business: { id: 1, body: { plan: 'business' }, response: { ...ACME, ...BUSINESS } },
    enterprise: { id: 1, body: ENTERPRISE, response: { ...ACME, ...ENTERPRISE } },
  },
  async handle(request) {
    const { context, id, body } = request
    const choice = { plan: body.plan, limits: limitsOf(body), ...(await readExpected(request)) }
    return taggedAccountJson(await accounts.setPlan(context, { account: id, ...choice }))
  },
})

const suspendAccount = admin('POST', '/accounts/{accountId}/suspend', {
  summary: 'Suspend an account',
  ...CHANGE,
  description: 'Its keys are refused from their next call until the account is resumed.',
  errors: ['conflict'],
  examples: { acme: { id: 1, response: SUSPENDED } },
  handle: async request =>
    taggedAccountJson(await accounts.suspendAccount(request.context, request.id, await readExpected(request))),
})

const resumeAccount = admin('POST', '/accounts/{accountId}/resume', {
  summary: 'Resume a suspended account',
  ...CHANGE,
  errors: ['conflict'],
  examples: { acme: { id: 1, response: ACME } },
  handle: async request =>
    taggedAccountJson(await accounts.resumeAccount(request.context, request.id, await readExpected(request))),
})

/**
 * Returns the account if it matches `If-Match`; nothing if any state will do. The change checks it again, in its transaction.
 * @throws Refusal precondition_failed
 */
async function readExpected({ call, context, id }: Request): Promise<accounts.Expected> {
  if (call.request.headers['if-match'] === undefined || matchesAnything(call)) return {}
  const expected = await accounts.findAccount(context.store, id)
  refuseMismatch(call, accountEtag(expected))
  return { expected }
}

/** The domain checks whether the limits are valid for the plan. */
function limitsOf({ perMinute, perDay }: Static<typeof PlanChoice>): Partial<Limits> {
  return { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
}

export const ACCOUNTS = {
  listAccounts,
  createAccount,
  readAccount,
  readWindows,
  renameAccount,
  deleteAccount,
  setPlan,
  suspendAccount,
  resumeAccount,
}
