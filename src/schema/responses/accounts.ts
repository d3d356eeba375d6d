import {
  ACCOUNT_STATES,
  type Account,
  type AccountWithUsage,
  accountState,
  usedPercent,
  valuesOfVersion,
} from '../../domain/account.ts'
import type { AccountWindows } from '../../domain/administration/windows.ts'
import { type Limits, PLANS } from '../../domain/plan.ts'
import { etagOf, withoutETag } from '../etag.ts'
import { formatJson } from '../exact-json.ts'
import { count, id, named, nullable, object, oneOf, text, time } from '../fields.ts'
import { Type } from '../type.ts'
import { writeJson } from '../write-json.ts'

export const PlanName = Type.Named('Plan', oneOf(PLANS, 'The plan of the account.'))
export const AccountStateName = oneOf(ACCOUNT_STATES, 'A suspended account cannot call.')

export const AccountJson = named('Account', 'An account: it owns API keys and has a plan.', {
  id: id('Identifier of the account.'),
  name: text('Its unique name.'),
  plan: PlanName,
  perMinute: count('Requests per minute, for all its keys together.'),
  perDay: count('Requests per UTC day, for all its keys together.'),
  state: AccountStateName,
  suspendedAt: nullable(time('When it was suspended.')),
  createdAt: time('When it was created.'),
  deprecatedCalls: count('Calls to the deprecated operation, as far back as usage is kept.'),
  lastDeprecatedCallAt: nullable(time('When it last called the deprecated operation.')),
  etag: text('The version of the account, for `If-Match`. Calls do not change it.'),
})

export const AccountWithUsageJson = named('AccountWithUsage', 'An account with its calls of today.', {
  ...AccountJson.properties,
  usageToday: object('Its calls of the current UTC day, for all its keys together; as of a few seconds ago.', {
    admitted: count('Calls that were admitted. Only they count against the limits.'),
    refused: count('Calls over the limit.'),
    banned: count('Calls with a banned key.'),
    usedPercent: count(
      '`admitted` as a percentage of `perDay`, rounded down; can exceed 100 after a change to a smaller plan.',
    ),
  }),
  bannedKeys: count('How many of its keys have a ban in force.'),
})

const window = (description: string) =>
  object(description, {
    limit: count('Calls allowed, for all keys of the account together.'),
    used: count('Calls counted so far; can exceed the limit after a change to a smaller plan.'),
    remaining: count('Calls left.'),
    resetsAt: nullable(time('When the window ends; null if it has not begun.')),
  })

export const WindowsJson = named('Windows', 'How many calls an account has used and has left.', {
  at: time('When the windows were read, by the clock that times them.'),
  complete: Type.Boolean({
    description: 'False while calls counted by other instances may be missing, for example during a Redis outage.',
  }),
  minute: window('The minute that begins with the first counted call.'),
  day: window('The UTC day.'),
})

export function taggedAccountJson({ limits, ...account }: Account) {
  const [state, etag] = [accountState(account), accountEtag({ ...account, limits })]
  return writeJson(AccountJson, { ...account, ...limits, state, etag })
}

export function taggedAccountWithUsageJson({ usageToday, bannedKeys, ...account }: AccountWithUsage) {
  return {
    ...taggedAccountJson(account),
    usageToday: usageTodayJson(usageToday, account.limits),
    bannedKeys,
  }
}

export function usageTodayJson(usageToday: AccountWithUsage['usageToday'], limits: Limits) {
  return { ...usageToday, usedPercent: usedPercent(usageToday.admitted, limits) }
}

export const accountJson = (account: Account) => withoutETag(taggedAccountJson(account))

export const accountWithUsageJson = (account: AccountWithUsage) => withoutETag(taggedAccountWithUsageJson(account))

/** The version of everything that operators can change; calls do not change it. */
export function accountEtag(account: Account): string {
  return etagOf(formatJson([account.id, ...Object.values(valuesOfVersion(account))]))
}

export function windowsJson({ readAt, isComplete, ...windows }: AccountWindows) {
  return writeJson(WindowsJson, { at: readAt, complete: isComplete, ...windows })
}
