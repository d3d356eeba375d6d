import { Type } from 'typebox'
import { findPastAccount, parseDimensions, parseUsageDays, USUAL_DAYS } from '../../domain/administration/usage.ts'
import { Mistake, Refusal } from '../../domain/errors.ts'
import type { Store } from '../../domain/store.ts'
import { USAGE_DIMENSIONS } from '../../domain/usage.ts'
import { auditView, usageView } from '../../views.ts'
import { signalOf } from '../client-left.ts'
import { type AdminOperation, defineOperation } from '../operation.ts'
import { BEFORE, pageReply } from '../page.ts'
import { AuditActionName, AuditShape, UsageShape } from '../shapes.ts'
import { Day } from '../times.ts'

/** To write more than these into an answer would hold up the calls being served. */
const MOST_SUMS = 10_000

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
          description: `What to add up by: some of ${USAGE_DIMENSIONS.join(', ')}, each once, separated by commas. If left out: by account; of one account: by day.`,
          pattern: `^(${eachOnce(USAGE_DIMENSIONS)})$`,
          rule: `some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas`,
        }),
      ),
    }),
    status: 200,
    answer: Type.Array(UsageShape),
    refusals: ['not_found'],
    async handle({ call, acting: { store, now }, query }) {
      const { days, by } = refusing(() => ({
        days: parseUsageDays(query, now),
        by: parseDimensions(query.by ?? (query.account === undefined ? 'account' : 'day')),
      }))
      const accountId = await idOf(store, query.account)
      const wanted = { ...days, accountId, operation: query.operation, by }
      const sums = await store.sumUsage({ ...wanted, limit: MOST_SUMS + 1 }, signalOf(call))
      if (sums.length > MOST_SUMS) {
        throw new Refusal(
          'invalid_parameter',
          `These are more than ${MOST_SUMS} sums; bring from and to closer together, or add up by less.`,
        )
      }
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

/** The pattern of lists in any order: without lookaround, every order is written down. */
function eachOnce(words: readonly string[]): string {
  const lists = words.map(word => {
    const others = words.filter(other => other !== word)
    return others.length === 0 ? word : `${word}(,(${eachOnce(others)}))?`
  })
  return lists.join('|')
}

async function idOf(store: Store, account: string | undefined): Promise<bigint | undefined> {
  return account === undefined ? undefined : (await findPastAccount(store, account)).id
}

/** What is wrong about a query is told as that of every other query is. */
function refusing<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw error instanceof Mistake ? new Refusal('invalid_parameter', error.message) : error
  }
}
