import {
  DEFAULT_USAGE_DAYS,
  findPastAccount,
  parseDimensions,
  parseUsageDays,
} from '../../domain/administration/usage.ts'
import { UserError } from '../../domain/errors.ts'
import type { AccountStore } from '../../domain/store/accounts.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditEntryJson, usageJson } from '../../schema/operator-json.ts'
import { defineHandler, signalOf, type WithQuery } from '../handler.ts'
import type { AuditSearch, UsageSearch } from '../request-schemas.ts'

/** Writing a longer response would delay other calls. */
const MAX_SUMS = 10_000

const COUNTS = {
  admitted: 1_040,
  refused: 3,
  banned: 0,
  status2xx: 1_000,
  status3xx: 20,
  status4xx: 20,
  status5xx: 0,
  lastAt: '2026-03-02T11:20:00.000Z',
}

export const sumUsage = defineHandler({
  id: 'sumUsage',
  summary: 'Sum up usage',
  description: `Sums up calls, by default those of the last ${DEFAULT_USAGE_DAYS} days. \`operation=getPet\` shows who still calls the deprecated operation.`,
  errors: ['not_found'],
  examples: {
    deprecated: {
      query: { operation: 'getPet', from: '2026-01-01', by: 'account' },
      response: [{ accountId: 1, account: 'Acme Pets', ...COUNTS }],
    },
    daily: {
      query: { account: 'Acme Pets', from: '2026-03-01', to: '2026-03-31', by: 'day,operation' },
      response: [{ day: '2026-03-02', operation: 'listPets', ...COUNTS }],
    },
  },
  async handle({ call, context: { store, now }, query }: WithQuery<typeof UsageSearch>) {
    const { account, operation } = query
    const days = asParameter(() => parseUsageDays(query, now))
    const by = asParameter(() => parseDimensions(query.by ?? (account === undefined ? 'account' : 'day')))
    const accountId = await idOf(store, account)
    const wanted = { ...days, accountId, operation, by, limit: MAX_SUMS + 1 }
    const sums = await store.sumUsage(wanted, signalOf(call))
    if (sums.length > MAX_SUMS) {
      throw new Refusal(
        'invalid_parameter',
        `The result has more than ${MAX_SUMS} sums; choose fewer days, or group by less.`,
      )
    }
    return sums.map(usageJson)
  },
})

export const listAudit = defineHandler({
  id: 'listAudit',
  summary: 'List audit entries',
  description: 'Shows what operators did, newest first.',
  errors: ['not_found'],
  page: 'before',
  examples: {
    creations: {
      query: { account: 'Acme Pets', action: 'account.create', before: 1_000, limit: 20 },
      response: [
        {
          id: 2,
          at: '2026-01-05T09:30:00.000Z',
          actor: 'Anna (token 1)',
          origin: '127.0.0.1',
          action: 'account.create',
          subjectId: 1,
          accountId: 1,
          details: { name: 'Acme Pets', plan: 'pro' },
        },
      ],
    },
  },
  async handle({ context: { store }, query: { account, action, before, limit } }: WithQuery<typeof AuditSearch>) {
    const accountId = await idOf(store, account)
    const entries = await store.listAudit({ accountId, action, beforeId: before, limit: limit + 1 })
    return entries.map(auditEntryJson)
  },
})

async function idOf(store: AccountStore, account: string | undefined): Promise<bigint | undefined> {
  return account === undefined ? undefined : (await findPastAccount(store, account)).id
}

/** Reports an invalid parameter as every other query does. */
function asParameter<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw error instanceof UserError ? new Refusal('invalid_parameter', error.message) : error
  }
}
