import type { DeprecatedUsage } from '../../domain/administration/deprecated-usage.ts'
import { CALL_STATUSES, type UsageRow } from '../../domain/administration/sum-usage.ts'
import { formatDay, formatHour } from '../../domain/usage.ts'
import { DEPRECATED_AT, SUNSET_AT } from '../deprecation.ts'
import { count, date, id, named, nullable, object, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'

export const UsageJson = named('Usage', 'A sum of calls. It has only the members that you group by, and the counts.', {
  day: Type.Optional(date('The UTC day.')),
  hour: Type.Optional(Type.String({ description: 'The start of the hour.', format: 'date-time' })),
  accountId: Type.Optional(id('The account.')),
  account: Type.Optional(nullable(text('Its name; null if it was deleted.'))),
  keyId: Type.Optional(id('The key.')),
  keyName: Type.Optional(nullable(text('Its name.'))),
  operation: Type.Optional(text('The operation, or `none`.')),
  status: Type.Optional(
    oneOf(
      CALL_STATUSES,
      'How the calls ended: the class of the response, or `none` if there was none. `refused` and `banned` calls were not admitted.',
    ),
  ),
  admitted: count('Calls that were admitted.'),
  refused: count('Calls over the limit.'),
  banned: count('Calls with a banned key.'),
  status2xx: count('Admitted calls with a 2xx response.'),
  status3xx: count('Admitted calls with a 3xx response.'),
  status4xx: count('Admitted calls with a 4xx response.'),
  status5xx: count('Admitted calls with a 5xx response.'),
  lastAt: nullable(time('The latest of these calls; null if there are none, or if they are grouped by status.')),
})

export const DeprecatedUsageJson = named('DeprecatedUsage', 'The accounts that still call a deprecated operation.', {
  operation: text('The deprecated operation.'),
  deprecatedAt: time('When it was deprecated.'),
  removedAt: time('When it is removed; from then on, it returns 410.'),
  from: date('The first day of the period.'),
  to: date('The last day of the period.'),
  accounts: count('How many accounts called it.'),
  calls: count('Their admitted calls.'),
  lastAt: nullable(time('The latest of these calls; null if there are none.')),
  callers: Type.Array(
    object('An account that still calls the operation.', {
      accountId: id('The account.'),
      account: text('Its name.'),
      calls: count('Its admitted calls.'),
      lastAt: time('The latest of them.'),
    }),
    { description: 'The accounts, most calls first.' },
  ),
})

/** Has only the members that the usage is grouped by, and the counts. */
export function usageJson({ day, hour, accountName, keyName, lastAt, ...sum }: UsageRow) {
  return writeJson(UsageJson, {
    ...sum,
    day: day === undefined ? undefined : formatDay(day),
    hour: hour === undefined ? undefined : formatHour(hour),
    account: sum.accountId === undefined ? undefined : (accountName ?? null),
    keyName: sum.keyId === undefined ? undefined : (keyName ?? null),
    lastAt,
  })
}

export function deprecatedUsageJson({ range, callers, ...usage }: DeprecatedUsage) {
  return writeJson(DeprecatedUsageJson, {
    ...usage,
    deprecatedAt: DEPRECATED_AT,
    removedAt: SUNSET_AT,
    from: formatDay(range.first),
    to: formatDay(range.last),
    callers: callers.map(({ accountName, ...caller }) => ({ ...caller, account: accountName })),
  })
}
