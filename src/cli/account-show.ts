import { COMMAND } from '../app/command-name.ts'
import type { Account } from '../domain/account.ts'
import { accountState, usedPercent } from '../domain/account.ts'
import { findAccount } from '../domain/administration/accounts.ts'
import { type BanOfKey, listBans } from '../domain/administration/bans.ts'
import { type AccountWindows, readWindows, type WindowUse } from '../domain/administration/windows.ts'
import type { ApiKey } from '../domain/api-key.ts'
import { formatNumber } from '../domain/format-number.ts'
import type { Limits } from '../domain/plan.ts'
import { SECRET_STATES, secretState } from '../domain/secret.ts'
import type { Store } from '../domain/store.ts'
import { dayOf, daysFrom, type UsageSum } from '../domain/usage.ts'
import { accountJson, usageTodayJson, windowsJson } from '../schema/responses/accounts.ts'
import { banJson, keyJson } from '../schema/responses/keys.ts'
import { BAN_COLUMNS, keyColumns } from './output/access-columns.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatFields, formatList } from './output/table.ts'
import { formatLimits, formatMinute, formatSecond } from './output/text.ts'
import { withStore } from './with-store.ts'

/** More would be hard to read; `key list` shows the rest. */
const MAX_KEYS_SHOWN = 20

/** Prints everything an operator needs to know about one account. */
export async function showAccount(nameOrId: string, { json }: JsonOption): Promise<void> {
  const now = Date.now()
  const { overview, windows } = await withStore(async store => {
    const overview = await readOverview(store, nameOrId, now)
    return { overview, windows: await readWindows(store, overview.account, now) }
  })
  const { account, keys, bans, today } = overview
  const document = {
    ...accountJson(account),
    usageToday: usageTodayJson(today, overview.account.limits),
    windows: windowsJson(windows),
    keys: keys.map(key => keyJson(key, now)),
    bans: bans.map(ban => banJson(ban, now)),
  }
  print(json, document, ...describe(overview, windows, now))
}

function describe({ account, keys, bans, today }: AccountOverview, windows: AccountWindows, now: number): string[] {
  const usable = keys.filter(key => secretState(key, now) === 'active')
  const shown = usable.slice(0, MAX_KEYS_SHOWN)
  const { ACCOUNT: _, ...columns } = keyColumns(now)
  const { ACCOUNT: __, ...banColumns } = BAN_COLUMNS
  return [
    formatFields({
      Account: `${account.id} "${account.name}"`,
      Plan: `${account.plan}: ${formatLimits(account.limits)}`,
      State: describeState(account),
      Created: formatMinute(account.createdAt),
      Today: describeToday(today, account.limits),
      Left: `${describeWindow(windows.minute, 'this minute')}; ${describeWindow(windows.day, 'today')}`,
      ...(account.deprecatedCalls > 0 && {
        Deprecated: `${formatNumber(account.deprecatedCalls)} calls, the last at ${formatMinute(account.lastDeprecatedCallAt)}`,
      }),
      Keys: SECRET_STATES.map(state => `${countIn(keys, state, now)} ${state}`).join(', '),
      Bans: bans.length === 0 ? 'none' : `${formatNumber(bans.length)} in force`,
    }),
    ...(shown.length > 0 ? ['', formatList(shown, columns)] : []),
    ...(usable.length > shown.length ? ['', `All active keys: ${COMMAND} key list ${account.id} --state active`] : []),
    ...(bans.length > 0 ? ['', formatList(bans, banColumns)] : []),
  ]
}

function describeState(account: AccountOverview['account']): string {
  const { suspendedAt } = account
  return suspendedAt === undefined ? accountState(account) : `suspended since ${formatMinute(suspendedAt)}`
}

function describeToday({ admitted, refused, banned }: AccountOverview['today'], limits: Limits): string {
  const others = `${formatNumber(refused)} refused, ${formatNumber(banned)} banned`
  return `${formatNumber(admitted)} of ${formatNumber(limits.perDay)} calls admitted (${usedPercent(admitted, limits)}%), ${others}`
}

function describeWindow({ limit, remaining, resetsAt }: WindowUse, when: string): string {
  const until = resetsAt === undefined ? '' : `, until ${formatSecond(resetsAt)}`
  return `${formatNumber(remaining)} of ${formatNumber(limit)} ${when}${until}`
}

function countIn(keys: AccountOverview['keys'], state: (typeof SECRET_STATES)[number], now: number): string {
  return formatNumber(keys.filter(key => secretState(key, now) === state).length)
}

/** An account with everything that operators usually want to know about it. */
interface AccountOverview {
  account: Account
  /** By ascending id, in any state. */
  keys: ApiKey[]
  /** Only bans in force, newest first. */
  bans: BanOfKey[]
  today: Pick<UsageSum, 'admitted' | 'refused' | 'banned'>
}

/** @throws UserError when there is no such account */
async function readOverview(store: Store, nameOrId: string, now: number): Promise<AccountOverview> {
  const account = await findAccount(store, nameOrId)
  const accountId = account.id
  const day = dayOf(now)
  const [keys, bans, [sum]] = await Promise.all([
    store.listKeys({ accountId }),
    listBans(store, { accountId, inForceAt: now }),
    store.sumUsage({ range: daysFrom(day, day), accountId, by: [] }),
  ])
  const { admitted, refused, banned } = sum ?? { admitted: 0, refused: 0, banned: 0 }
  return { account, keys, bans, today: { admitted, refused, banned } }
}
