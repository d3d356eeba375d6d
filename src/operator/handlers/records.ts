import { sumDeprecatedUsage } from '../../domain/administration/deprecated-usage.ts'
import { sumUsage as sumCalls } from '../../domain/administration/sum-usage.ts'
import {
  DEFAULT_USAGE_DAYS,
  defaultGroups,
  findUsageScope,
  parseGroups,
  parseUsageRange,
} from '../../domain/administration/usage.ts'
import { HOURLY_USAGE_DAYS } from '../../domain/usage.ts'
import { DEPRECATED_OPERATION } from '../../schema/deprecation.ts'
import { DeprecatedUsageJson, deprecatedUsageJson, UsageJson, usageJson } from '../../schema/responses/usage.ts'
import { Type } from '../../schema/type.ts'
import { abortSignalOf, asParameter, refuseParameter } from '../handler.ts'
import { staff } from '../operation.ts'
import { DeprecatedUsageSearch, UsageSearch } from '../request-schemas.ts'

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

const sumUsage = staff('GET', '/usage', {
  summary: 'Sum up usage',
  description: `Sums up calls; by default, those of the last ${DEFAULT_USAGE_DAYS} days. Hourly usage is kept for ${HOURLY_USAGE_DAYS} days. If grouped by status, each sum counts only the calls that ended with that status.`,
  query: UsageSearch,
  response: Type.Array(UsageJson),
  errors: ['not_found'],
  examples: {
    deprecated: {
      query: { operation: 'getPet', from: '2026-01-01', by: 'account' },
      response: [{ accountId: 1, account: 'Acme Pets', ...COUNTS }],
    },
    daily: {
      query: { account: 'Acme Pets', from: '2026-03-01', to: '2026-03-31', by: 'day,operation', fill: true },
      response: [{ day: '2026-03-02', operation: 'listPets', ...COUNTS }],
    },
    busiest: {
      query: { from: '2026-03-01', to: '2026-03-31', by: 'key,account', top: 10 },
      response: [{ keyId: 3, keyName: 'till', accountId: 1, account: 'Acme Pets', ...COUNTS }],
    },
    hourly: {
      query: { key: 3, hours: 48, by: 'hour' },
      response: [{ hour: '2026-03-02T11:00:00Z', ...COUNTS }],
    },
  },
  async handle({ call, context: { store, now }, query }) {
    const { account, key, operation, fill, top, ...time } = query
    const by = time.by === undefined ? defaultGroups(query) : asParameter(parseGroups, time.by)
    const range = asParameter(parseUsageRange, time, by, now)
    const { accountId, keyId } = await findUsageScope(store, { account, key: key === undefined ? key : String(key) })
    const wanted = { range, accountId, keyId, operation, by, fill, top }
    const sums = await sumCalls(store, wanted, now, { limit: MAX_SUMS, signal: abortSignalOf(call) }).catch(
      refuseParameter,
    )
    return sums.map(usageJson)
  },
})

const readDeprecatedUsage = staff('GET', '/usage/deprecated', {
  summary: 'List the accounts that call deprecated operations',
  description: `Returns each deprecated operation, its removal date, and the accounts that called it; by default, in the last ${DEFAULT_USAGE_DAYS} days.`,
  query: DeprecatedUsageSearch,
  response: Type.Array(DeprecatedUsageJson),
  examples: {
    since: {
      query: { from: '2026-01-01', to: '2026-03-31', limit: 20 },
      response: [
        {
          operation: DEPRECATED_OPERATION,
          deprecatedAt: '2025-12-05T00:00:00.000Z',
          removedAt: '2030-12-05T00:00:00.000Z',
          from: '2026-01-01',
          to: '2026-03-31',
          accounts: 1,
          calls: 1_040,
          lastAt: COUNTS.lastAt,
          callers: [{ accountId: 1, account: 'Acme Pets', calls: 1_040, lastAt: COUNTS.lastAt }],
        },
      ],
    },
  },
  async handle({ call, context: { store, now }, query }) {
    const range = asParameter(parseUsageRange, query, [], now)
    const wanted = { operation: DEPRECATED_OPERATION, range, limit: query.limit }
    return [deprecatedUsageJson(await sumDeprecatedUsage(store, wanted, abortSignalOf(call)))]
  },
})

export const RECORDS = { sumUsage, readDeprecatedUsage }
