import { type TProperties, Type } from 'typebox'
import {
  createAccount,
  deleteAccount,
  findAccount,
  renameAccount,
  resumeAccount,
  setPlan,
  suspendAccount,
} from '../../domain/administration/accounts.ts'
import { HIGHEST_LIMIT, type Limits, PLANS, type Plan } from '../../domain/plan.ts'
import { BLANK } from '../../domain/text-pattern.ts'
import { accountView } from '../../views.ts'
import { type AdminOperation, defineOperation } from '../operation.ts'
import { AFTER, pageReply } from '../page.ts'
import { AccountShape, Label, oneOf, PlanName } from '../shapes.ts'

const Name = Type.String({
  rule: 'a text',
  described: Label('1 to 100 characters, not a number; no other account has it.', {
    not: { pattern: `^[${BLANK}]*([0-9]+|-[1-9][0-9]*)[${BLANK}]*$` },
  }),
})

const Limit = Type.Optional(Type.Integer({ rule: `a whole number from 1 to ${HIGHEST_LIMIT}` }))
const limitWithin = (period: string) =>
  Type.Integer({ description: `Requests per ${period}.`, minimum: 1, maximum: HIGHEST_LIMIT })

/** A body that chooses a plan: only enterprise has limits of its own, and needs both. */
function choosingPlan<Members extends TProperties>(members: Members) {
  const closed = { additionalProperties: false }
  const plan = (names: readonly Plan[]) => oneOf(names, 'The plan of an account.')
  return Type.Object(
    { ...members, plan: PlanName, perMinute: Limit, perDay: Limit },
    {
      described: {
        oneOf: [
          Type.Object({ ...members, plan: plan(PLANS.filter(name => name !== 'enterprise')) }, closed),
          Type.Object(
            { ...members, plan: plan(['enterprise']), perMinute: limitWithin('minute'), perDay: limitWithin('day') },
            closed,
          ),
        ],
      },
    },
  )
}

const tag = 'Accounts'
const admin = { tag, role: 'admin', status: 200, answer: AccountShape } as const

export const accountOperations: readonly AdminOperation[] = [
  defineOperation({
    id: 'listAccounts',
    method: 'GET',
    path: '/accounts',
    tag,
    summary: 'List accounts',
    role: 'staff',
    query: Type.Object(AFTER),
    status: 200,
    answer: Type.Array(AccountShape),
    isPage: true,
    async handle({ call, acting, query: { after, limit } }) {
      const accounts = await acting.store.listAccounts({ afterId: after, limit: limit + 1 })
      return pageReply(call, { limit, edge: 'after' }, accounts, accountView)
    },
  }),
  defineOperation({
    ...admin,
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    summary: 'Create an account',
    body: choosingPlan({ name: Name }),
    status: 201,
    refusals: ['invalid_input', 'conflict'],
    async handle({ acting, body }) {
      const account = await createAccount(acting, { name: body.name, plan: body.plan, limits: limitsOf(body) })
      return { value: accountView(account), headers: ['Location', `/admin/v1/accounts/${account.id}`] }
    },
  }),
  defineOperation({
    ...admin,
    id: 'readAccount',
    method: 'GET',
    path: '/accounts/{accountId}',
    summary: 'Read one account',
    role: 'staff',
    refusals: ['not_found'],
    handle: async ({ acting, parameter }) => ({ value: accountView(await findAccount(acting.store, parameter)) }),
  }),
  defineOperation({
    ...admin,
    id: 'renameAccount',
    method: 'PATCH',
    path: '/accounts/{accountId}',
    summary: 'Rename an account',
    body: Type.Object({ name: Name }),
    refusals: ['invalid_input', 'not_found', 'conflict'],
    handle: async ({ acting, parameter, body: { name } }) => ({
      value: accountView(await renameAccount(acting, { account: parameter, name })),
    }),
  }),
  defineOperation({
    ...admin,
    id: 'deleteAccount',
    method: 'DELETE',
    path: '/accounts/{accountId}',
    summary: 'Delete an account',
    description: 'For good, with its keys and their bans. Its usage and its audit entries are kept.',
    status: 204,
    refusals: ['not_found'],
    async handle({ acting, parameter }) {
      await deleteAccount(acting, parameter)
      return {}
    },
  }),
  defineOperation({
    ...admin,
    id: 'setPlan',
    method: 'PUT',
    path: '/accounts/{accountId}/plan',
    summary: 'Put an account on another plan',
    description: 'The new limits hold from the next call on; what was used stays used.',
    body: choosingPlan({}),
    refusals: ['invalid_input', 'not_found'],
    handle: async ({ acting, parameter, body }) => ({
      value: accountView(await setPlan(acting, { account: parameter, plan: body.plan, limits: limitsOf(body) })),
    }),
  }),
  defineOperation({
    ...admin,
    id: 'suspendAccount',
    method: 'POST',
    path: '/accounts/{accountId}/suspend',
    summary: 'Suspend an account',
    description: 'None of its keys is let in, from the next call on, until it is resumed.',
    refusals: ['not_found', 'conflict'],
    handle: async ({ acting, parameter }) => ({ value: accountView(await suspendAccount(acting, parameter)) }),
  }),
  defineOperation({
    ...admin,
    id: 'resumeAccount',
    method: 'POST',
    path: '/accounts/{accountId}/resume',
    summary: 'Resume a suspended account',
    refusals: ['not_found', 'conflict'],
    handle: async ({ acting, parameter }) => ({ value: accountView(await resumeAccount(acting, parameter)) }),
  }),
]

/** Whether they make sense, the plan decides. */
function limitsOf({
  perMinute,
  perDay,
}: {
  perMinute?: number | undefined
  perDay?: number | undefined
}): Partial<Limits> {
  return { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
}
