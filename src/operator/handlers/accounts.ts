import type { Static } from 'typebox'
import * as accounts from '../../domain/administration/accounts.ts'
import type { Limits } from '../../domain/plan.ts'
import { accountJson } from '../../schema/operator-json.ts'
import { defineHandler, type Request, type WithBody, type WithQuery } from '../handler.ts'
import type { AccountName, NewAccount, OldestFirst, PlanChoice } from '../request-schemas.ts'

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
}
const SUSPENDED = { ...ACME, state: 'suspended', suspendedAt: '2026-03-02T12:00:00.000Z' }
const BUSINESS = { plan: 'business', perMinute: 1_000, perDay: 100_000 }
const ENTERPRISE = { plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }

export const listAccounts = defineHandler({
  id: 'listAccounts',
  summary: 'List accounts',
  page: 'after',
  examples: { first: { query: { after: 0, limit: 20 }, response: [ACME] } },
  async handle({ context, query: { after, limit } }: WithQuery<typeof OldestFirst>) {
    const found = await context.store.listAccounts({ afterId: after, limit: limit + 1 })
    return found.map(accountJson)
  },
})

export const createAccount = defineHandler({
  id: 'createAccount',
  summary: 'Create an account',
  errors: ['invalid_input', 'conflict'],
  location: '/accounts',
  examples: {
    pro: { body: { name: 'Acme Pets', plan: 'pro' }, response: ACME },
    enterprise: { body: { name: 'Globex', ...ENTERPRISE }, response: { ...ACME, name: 'Globex', ...ENTERPRISE } },
  },
  async handle({ context, body }: WithBody<typeof NewAccount>) {
    const { name, plan } = body
    return accountJson(await accounts.createAccount(context, { name, plan, limits: limitsOf(body) }))
  },
})

export const readAccount = defineHandler({
  id: 'readAccount',
  summary: 'Get an account',
  examples: { acme: { id: 1, response: ACME } },
  handle: async ({ context, id }: Request) => accountJson(await accounts.findAccount(context.store, id)),
})

export const renameAccount = defineHandler({
  id: 'renameAccount',
  summary: 'Rename an account',
  errors: ['invalid_input', 'conflict'],
  examples: { acme: { id: 1, body: { name: 'Acme Animals' }, response: { ...ACME, name: 'Acme Animals' } } },
  handle: async ({ context, id, body: { name } }: WithBody<typeof AccountName>) =>
    accountJson(await accounts.renameAccount(context, { account: id, name })),
})

export const deleteAccount = defineHandler({
  id: 'deleteAccount',
  summary: 'Delete an account',
  description: 'Deletes its keys and their bans, too. This cannot be undone. Its usage and its audit entries are kept.',
  examples: { acme: { id: 1 } },
  async handle({ context, id }: Request) {
    await accounts.deleteAccount(context, id)
  },
})

export const setPlan = defineHandler({
  id: 'setPlan',
  summary: 'Change the plan of an account',
  description: 'The new limits apply from the next call. Calls that were counted before still count.',
  errors: ['invalid_input'],
  examples: {
    business: { id: 1, body: { plan: 'business' }, response: { ...ACME, ...BUSINESS } },
    enterprise: { id: 1, body: ENTERPRISE, response: { ...ACME, ...ENTERPRISE } },
  },
  handle: async ({ context, id, body }: WithBody<typeof PlanChoice>) =>
    accountJson(await accounts.setPlan(context, { account: id, plan: body.plan, limits: limitsOf(body) })),
})

export const suspendAccount = defineHandler({
  id: 'suspendAccount',
  summary: 'Suspend an account',
  description: 'Its keys are refused, from their next call until it is resumed.',
  errors: ['conflict'],
  examples: { acme: { id: 1, response: SUSPENDED } },
  handle: async ({ context, id }: Request) => accountJson(await accounts.suspendAccount(context, id)),
})

export const resumeAccount = defineHandler({
  id: 'resumeAccount',
  summary: 'Resume a suspended account',
  errors: ['conflict'],
  examples: { acme: { id: 1, response: ACME } },
  handle: async ({ context, id }: Request) => accountJson(await accounts.resumeAccount(context, id)),
})

/** The domain checks whether they fit the plan. */
function limitsOf({ perMinute, perDay }: Static<typeof PlanChoice>): Partial<Limits> {
  return { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
}
