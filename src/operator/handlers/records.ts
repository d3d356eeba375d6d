import { Readable } from 'node:stream'
import { sumDeprecatedUsage } from '../../domain/administration/deprecated-usage.ts'
import { readUsage } from '../../domain/administration/read-usage.ts'
import { sumUsage as sumCalls, USAGE_GROUPS, type UsageGroup } from '../../domain/administration/sum-usage.ts'
import {
  DEFAULT_USAGE_DAYS,
  DEFAULT_USAGE_HOURS,
  defaultGroups,
  findUsageScope,
  MAX_USAGE_HOURS,
  parseGroups,
  parseUsageRange,
} from '../../domain/administration/usage.ts'
import type { Store } from '../../domain/store.ts'
import { HOURLY_USAGE_DAYS } from '../../domain/usage.ts'
import { DEPRECATED_OPERATION } from '../../schema/deprecation.ts'
import { flag, given, integer, oneOf } from '../../schema/fields.ts'
import { DeprecatedUsageJson, deprecatedUsageJson, UsageJson, usageJson } from '../../schema/responses/usage.ts'
import { type Static, type TObject, Type } from '../../schema/type.ts'
import { formatUsageFile, USAGE_FILE_HEADER } from '../../schema/usage-file.ts'
import { CSV, fileOfDay, whilePermitted } from '../file-download.ts'
import { abortSignalOf, asParameter, refuseParameter } from '../handler.ts'
import { staff } from '../operation.ts'
import { account, limit } from '../request-fields.ts'

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

/** Parsed by parseUsageRange. */
const day = (description: string) => Type.String({ description, format: 'date', rule: 'a UTC day such as 2030-12-31' })

const MAX_TOP_SUMS = 1_000
const USAGE_GROUP = `(${USAGE_GROUPS.join('|')})`

const usageFilter = Type.Partial({
  account,
  key: Type.BigInt({ description: 'Only the key with this id.', rule: 'an id' }),
  operation: given('Only this operation.', 'an operation'),
  from: day('The first day.'),
  to: day('The last day. Default: today.'),
  hours: integer(
    1,
    MAX_USAGE_HOURS,
    `Only the last hours of these days, up to the current hour. Default if usage is grouped by hour without \`from\`: ${DEFAULT_USAGE_HOURS}.`,
  ),
})

const sumUsage = staff('GET', '/usage', {
  summary: 'Sum up usage',
  description: `Sums up calls; by default, those of the last ${DEFAULT_USAGE_DAYS} days. Hourly usage is kept for ${HOURLY_USAGE_DAYS} days. If grouped by status, each sum counts only the calls that ended with that status.`,
  query: Type.Object(
    Type.Partial({
      ...usageFilter,
      by: Type.String({
        description: `What to group by, and the order of the sums: one or more of ${USAGE_GROUPS.join(', ')}, separated by commas. Default: \`account\`, or \`day\` if an account or a key is given.`,
        pattern: `^${USAGE_GROUP}(,${USAGE_GROUP})*$`,
        rule: `one or more of ${USAGE_GROUPS.join(', ')}, separated by commas`,
      }),
      fill: flag(
        'Whether to include days or hours without calls. Those in the future, and hours that are no longer kept, are left out.',
      ),
      top: integer(
        1,
        MAX_TOP_SUMS,
        'Returns at most this many sums, most calls first. Sums without calls are left out.',
      ),
    }),
  ),
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
    const { fill, top } = query
    const by = query.by === undefined ? defaultGroups(query) : asParameter(parseGroups, query.by)
    const wanted = { ...(await readFilter(store, query, by, now)), by, fill, top }
    const sums = await sumCalls(store, wanted, now, { limit: MAX_SUMS, signal: abortSignalOf(call) }).catch(
      refuseParameter,
    )
    return sums.map(usageJson)
  },
})

const exportUsage = staff('GET', '/usage/export', {
  summary: 'Export usage',
  description: `Returns all calls of a period as CSV, by default of the last ${DEFAULT_USAGE_DAYS} days: a row for each day or hour, account, key, operation and status. It begins with a byte order mark, and names that a spreadsheet would read as a formula follow an apostrophe.`,
  query: Type.Object({
    ...usageFilter,
    unit: Type.Optional(
      oneOf(['day', 'hour'] as const, 'What a row is about. Default: `hour` if `hours` is given, or `day`.'),
    ),
  }),
  download: [CSV],
  errors: ['not_found'],
  examples: {
    daily: {
      query: { account: 'Acme Pets', from: '2026-03-01', to: '2026-03-31' },
      response: `${USAGE_FILE_HEADER}2026-03-02,1,Acme Pets,3,till,listPets,2xx,1000\n`,
      responseType: CSV,
    },
    hourly: {
      query: { hours: 48, unit: 'hour' },
      response: `${USAGE_FILE_HEADER}2026-03-02T11:00:00Z,1,Acme Pets,3,till,listPets,2xx,1000\n`,
      responseType: CSV,
    },
  },
  async handle(request) {
    const { call, query, context } = request
    const { store, now } = context
    const filter = await readFilter(store, query, query.unit === undefined ? [] : [query.unit], now)
    const rows = whilePermitted(request, await readUsage(store, filter, abortSignalOf(call)))
    return fileOfDay(request, 'usage', 'csv', Readable.from(formatUsageFile(rows)))
  },
})

type Filter = Static<TObject<typeof usageFilter>>

async function readFilter(store: Store, query: Filter, by: readonly UsageGroup[], now: number) {
  const { account, key, operation } = query
  const range = asParameter(parseUsageRange, query, by, now)
  const { accountId, keyId } = await findUsageScope(store, { account, key: key === undefined ? key : String(key) })
  return { range, accountId, keyId, operation }
}

const readDeprecatedUsage = staff('GET', '/usage/deprecated', {
  summary: 'List the accounts that call deprecated operations',
  description: `Returns each deprecated operation, its removal date, and the accounts that called it; by default, in the last ${DEFAULT_USAGE_DAYS} days.`,
  query: Type.Object({ from: usageFilter.from, to: usageFilter.to, limit }),
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

export const RECORDS = { sumUsage, exportUsage, readDeprecatedUsage }
