import { useQueries } from '@tanstack/react-query'
import { type LinkProps, linkOptions } from '@tanstack/react-router'
import type { AccountWithUsage, Ban, DeprecatedUsage, HealthPart, Key } from '../../api/schema.ts'
import {
  bansInForceQuery,
  busiestAccountsQuery,
  expiringKeysQuery,
  type Head,
  inDays,
  mostRefusedAccountsQuery,
} from '../../data/overview.ts'
import { healthQuery } from '../../data/service.ts'
import { deprecatedUsageQuery } from '../../data/usage.ts'
import { formatCount, formatCounted, SECONDS } from '../../lib/numbers.ts'
import { formatDate } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { levelOf, NEAR_PERCENT } from '../../parts/accounts/UseBar.tsx'
import { keyLabel, sourceLabel } from '../../parts/bans/facts.tsx'
import type { IconName } from '../../ui/Icon.tsx'

/** Something that needs attention, with a link. */
export interface Concern {
  tone: 'change' | 'danger'
  icon: IconName
  title: string
  detail: string
  action: string
  link: LinkProps
}

/** The partner must replace an expiring key, which takes a while. */
const EXPIRY_DAYS = 14
/** Before that, an operation that will be removed concerns only the accounts that call it; their pages show it. */
const REMOVAL_MS = SECONDS.year * 1_000
const MAX_NAMES = 3

/** @returns concerns: in the order of the harm that they do today; undefined until all data for them is loaded */
export function useConcerns() {
  const now = useNow()
  const [health, bans, busiest, refused, keys, deprecated] = useQueries({
    queries: [
      healthQuery,
      bansInForceQuery,
      busiestAccountsQuery,
      mostRefusedAccountsQuery,
      expiringKeysQuery(inDays(EXPIRY_DAYS, now)),
      deprecatedUsageQuery(),
    ],
  })
  const isKnown = health.data && bans.data && busiest.data && refused.data && keys.data && deprecated.data
  return {
    health: health.data,
    concerns: isKnown && [
      ...health.data.parts
        .filter(({ state }) => state !== 'ok')
        .toSorted((one, other) => rankOf(one) - rankOf(other))
        .map(concernOfPart),
      ...concernOfBans(bans.data),
      ...concernsOfLimits(busiest.data, refused.data),
      ...concernOfKeys(keys.data),
      ...deprecated.data
        .filter(({ accounts, removedAt }) => accounts > 0 && Date.parse(removedAt) - now < REMOVAL_MS)
        .map(concernOfUse),
    ],
    error: [health, bans, busiest, refused, keys, deprecated].find(({ error }) => error)?.error,
  }
}

/** The store and its disk come first, because nothing works without them, and backups and sources last, because callers do not notice them. */
const FIRST_PARTS = ['store', 'disk']
const LAST_PARTS = ['backup', 'sources']

function rankOf({ part }: HealthPart): number {
  return LAST_PARTS.indexOf(part) + 1 - (FIRST_PARTS.includes(part) ? 1 : 0)
}

function concernOfPart({ part, state, message }: HealthPart): Concern {
  return {
    tone: state === 'failing' ? 'danger' : 'change',
    icon: 'health',
    title: `${part.charAt(0).toUpperCase()}${part.slice(1)}: ${state === 'failing' ? 'not working' : 'attention needed'}`,
    detail: message,
    ...(part === 'sources'
      ? { action: 'Show sources', link: linkOptions({ to: '/sources' }) }
      : { action: 'Show health', link: linkOptions({ to: '/health' }) }),
  }
}

/** A concern about several records; none if there are none. */
function concernOf(
  { names, hasMore }: { names: readonly string[]; hasMore: boolean },
  [one, several]: readonly [string, string],
  concern: Omit<Concern, 'title' | 'detail'>,
): Concern[] {
  if (names.length === 0) return []
  const title = `${hasMore ? 'More than ' : ''}${formatCounted(names.length, one, several)}`
  return [{ ...concern, title, detail: joinNames(names, hasMore) }]
}

function concernOfBans({ rows, hasMore }: Head<Ban>): Concern[] {
  const names = rows.map(ban => `${keyLabel(ban)} of ${ban.account} for ${sourceLabel(ban)}`)
  return concernOf({ names, hasMore }, ['ban is in force', 'bans are in force'], {
    tone: 'danger',
    icon: 'bans',
    action: 'Show bans',
    link: linkOptions({ to: '/bans' }),
  })
}

/** The accounts that have reached a limit today, and those near the limit per day. Some reach only the limit per minute. */
function concernsOfLimits(busiest: Head<AccountWithUsage>, refused: Head<AccountWithUsage>): Concern[] {
  const isFull = ({ usageToday }: AccountWithUsage) =>
    levelOf(usageToday.usedPercent) === 'full' || usageToday.refused > 0
  const isNear = (account: AccountWithUsage) => !isFull(account) && levelOf(account.usageToday.usedPercent) === 'near'
  const hasMore = ({ rows, hasMore }: Head<AccountWithUsage>, concerns: (account: AccountWithUsage) => boolean) =>
    hasMore && rows.slice(-1).some(concerns)
  const all = [...new Map([...busiest.rows, ...refused.rows].map(account => [account.id, account])).values()]
  const full = all.filter(isFull)
  const fullNames = full.map(({ name, usageToday: { admitted, refused } }) => {
    return `${name} (${formatCounted(admitted, 'call')}, ${formatCount(refused)} refused)`
  })
  const nearNames = all.filter(isNear).map(({ name, usageToday }) => `${name} (${usageToday.usedPercent}%)`)
  const sort = full.every(({ usageToday }) => usageToday.refused > 0) ? 'refused' : 'usage'
  const near = `used ${NEAR_PERCENT}% of the calls per day`
  return [
    ...concernOf(
      { names: fullNames, hasMore: hasMore(busiest, isFull) || hasMore(refused, isFull) },
      ['account has reached a limit today', 'accounts have reached a limit today'],
      { ...OF_ACCOUNTS, tone: 'danger', link: linkOptions({ to: '/accounts', search: { sort } }) },
    ),
    ...concernOf(
      { names: nearNames, hasMore: hasMore(busiest, isNear) },
      [`account has ${near}`, `accounts have ${near}`],
      { ...OF_ACCOUNTS, tone: 'change', link: linkOptions({ to: '/accounts', search: { sort: 'usage' } }) },
    ),
  ]
}

const OF_ACCOUNTS = { icon: 'accounts', action: 'Show accounts' } as const

function concernOfKeys({ rows, hasMore }: Head<Key>): Concern[] {
  const names = rows.map(({ id, name, account }) => `${name ?? `Key ${id}`} of ${account}`)
  const soon = `within ${EXPIRY_DAYS} days`
  return concernOf({ names, hasMore }, [`key expires ${soon}`, `keys expire ${soon}`], {
    tone: 'change',
    icon: 'keys',
    action: 'Show keys',
    link: linkOptions({ to: '/keys', search: { state: 'active', expires: String(EXPIRY_DAYS) } }),
  })
}

function concernOfUse({ operation, removedAt, accounts, callers }: DeprecatedUsage): Concern {
  const names = callers.map(({ account }) => account)
  return {
    tone: 'change',
    icon: 'usage',
    title: `${formatCounted(accounts, 'account uses', 'accounts use')} a call that ends on ${formatDate(removedAt)} (${operation})`,
    detail: `${joinNames(names, accounts > callers.length)}. The guides name its replacement.`,
    action: 'Show calls',
    link: linkOptions({ to: '/usage', search: { range: '30d', by: 'account', operation } }),
  }
}

/** Such as "a, b, c and others". */
function joinNames(names: readonly string[], hasMore: boolean): string {
  const first = names.slice(0, MAX_NAMES)
  return hasMore || names.length > MAX_NAMES ? `${first.join(', ')} and others` : first.join(', ')
}
