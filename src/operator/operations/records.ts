import { Type } from 'typebox'
import { findAccount } from '../../domain/administration/accounts.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Store } from '../../domain/store.ts'
import { dayOf, USAGE_DIMENSIONS, type UsageDimension } from '../../domain/usage.ts'
import { auditView, usageView } from '../../views.ts'
import { type AdminOperation, defineOperation } from '../operation.ts'
import { BEFORE, pageReply } from '../page.ts'
import { AuditActionName, AuditShape, UsageShape } from '../shapes.ts'
import { Day, parseDay } from '../times.ts'

const USUAL_DAYS = 30

const account = Type.Optional(
  Type.String({ description: 'Only of this account: its id or its name.', minLength: 1, rule: 'an id or a name' }),
)

/** What is written down about the service: how it is used, and what operators did. */
export const recordOperations: readonly AdminOperation[] = [
  defineOperation({
    id: 'sumUsage',
    method: 'GET',
    path: '/usage',
    tag: 'Records',
    summary: 'How the service is used',
    description: `Calls added up, ${USUAL_DAYS} days back unless told otherwise. With \`operation=getPet\` it tells who still calls the deprecated operation.`,
    role: 'staff',
    query: Type.Object({
      account,
      operation: Type.Optional(
        Type.String({ description: 'Only this operation.', minLength: 1, rule: 'an operation' }),
      ),
      from: Type.Optional(Day('The first day.')),
      to: Type.Optional(Day('The last day.')),
      by: Type.Optional(
        Type.String({
          description: `What to add up by: some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas. Unless told: by account; of one account: by day.`,
          rule: `some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas`,
        }),
      ),
    }),
    status: 200,
    answer: Type.Array(UsageShape),
    refusals: ['not_found'],
    async handle({ acting: { store, now }, query }) {
      const accountId = await idOf(store, query.account)
      const toDay = query.to === undefined ? dayOf(now) : parseDay('to', query.to)
      const fromDay = query.from === undefined ? toDay - USUAL_DAYS + 1 : parseDay('from', query.from)
      const by = parseDimensions(query.by ?? (query.account === undefined ? 'account' : 'day'))
      const sums = await store.sumUsage({ fromDay, toDay, accountId, operation: query.operation, by })
      return { value: sums.map(usageView) }
    },
  }),
  defineOperation({
    id: 'listAudit',
    method: 'GET',
    path: '/audit',
    tag: 'Records',
    summary: 'What operators did',
    description: 'The newest first.',
    role: 'staff',
    query: Type.Object({ account, action: Type.Optional(AuditActionName), ...BEFORE }),
    status: 200,
    answer: Type.Array(AuditShape),
    isPage: true,
    refusals: ['not_found'],
    async handle({ call, acting: { store }, query: { account, action, before, limit } }) {
      const accountId = await idOf(store, account)
      const entries = await store.listAudit({ accountId, action, beforeId: before, limit: limit + 1 })
      return pageReply(call, { limit, edge: 'before' }, entries, auditView)
    },
  }),
]

/** An account that has been deleted can still be asked for by its id. */
async function idOf(store: Store, account: string | undefined): Promise<bigint | undefined> {
  if (account === undefined) return undefined
  return /^\d{1,18}$/.test(account) ? BigInt(account) : (await findAccount(store, account)).id
}

function parseDimensions(text: string): UsageDimension[] {
  const wanted = text.split(',')
  const known = USAGE_DIMENSIONS.filter(dimension => wanted.includes(dimension))
  if (known.length !== wanted.length) {
    throw new Refusal('invalid_parameter', `by must be some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas.`)
  }
  return known
}
