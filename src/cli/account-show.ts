import { COMMAND } from '../app/command-name.ts'
import { accountState, usedPercent } from '../domain/account.ts'
import { findAccount } from '../domain/administration/accounts.ts'
import { listBans } from '../domain/administration/bans.ts'
import { readWindows, type WindowUse } from '../domain/administration/windows.ts'
import { formatCount, formatNumber } from '../domain/format-number.ts'
import type { Limits } from '../domain/plan.ts'
import { SECRET_STATES, secretState } from '../domain/secret.ts'
import type { Store } from '../domain/store.ts'
import { dayOf, daysFrom, NO_CALLS } from '../domain/usage.ts'
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
  const overview = await withStore(store => readOverview(store, nameOrId, now))
  const { account, keys, bans, today, windows } = overview
  const document = {
    ...accountJson(account),
    usageToday: usageTodayJson(today, account.limits),
    windows: windowsJson(windows),
    keys: keys.map(key => keyJson(key, now)),
    bans: bans.map(ban => banJson(ban, now)),
  }
  print(json, document, ...describe(overview, now))
}

function describe({ account, keys, bans, today, windows }: Overview, now: number): string[] {
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
        Deprecated: `${formatCount(account.deprecatedCalls, 'call')}, the last at ${formatMinute(account.lastDeprecatedCallAt)}`,
      }),
      Keys: SECRET_STATES.map(state => `${countIn(keys, state, now)} ${state}`).join(', '),
      Bans: bans.length === 0 ? 'none' : `${formatNumber(bans.length)} in force`,
    }),
    ...(shown.length > 0 ? ['', formatList(shown, columns)] : []),
    ...(usable.length > shown.length ? ['', `All active keys: ${COMMAND} key list ${account.id} --state active`] : []),
    ...(bans.length > 0 ? ['', formatList(bans, banColumns)] : []),
  ]
}

function describeState(account: Overview['account']): string {
  const { suspendedAt } = account
  return suspendedAt === undefined ? accountState(account) : `suspended since ${formatMinute(suspendedAt)}`
}

function describeToday({ admitted, refused, banned }: Overview['today'], limits: Limits): string {
  const others = `${formatNumber(refused)} refused, ${formatNumber(banned)} banned`
  return `${formatNumber(admitted)} of ${formatNumber(limits.perDay)} calls admitted (${usedPercent(admitted, limits)}%), ${others}`
}

function describeWindow({ limit, remaining, resetsAt }: WindowUse, when: string): string {
  const until = resetsAt === undefined ? '' : `, until ${formatSecond(resetsAt)}`
  return `${formatNumber(remaining)} of ${formatNumber(limit)} ${when}${until}`
}

function countIn(keys: Overview['keys'], state: (typeof SECRET_STATES)[number], now: number): string {
  return formatNumber(keys.filter(key => secretState(key, now) === state).length)
}

type Overview = Awaited<ReturnType<typeof readOverview>>

/**
 * Reads what operators usually want to know about an account: its keys in any state, by ascending id, and its bans in force, newest first.
 * @throws UserError when there is no such account
 */
async function readOverview(store: Store, nameOrId: string, now: number) {
  const account = await findAccount(store, nameOrId)
  const accountId = account.id
  const day = dayOf(now)
  const [keys, bans, [today = NO_CALLS], windows] = await Promise.all([
    store.listKeys({ accountId }),
    listBans(store, { accountId, inForceAt: now }),
    store.sumUsage({ range: daysFrom(day, day), accountId, by: [] }),
    readWindows(store, account, now),
  ])
  const { admitted, refused, banned } = today
  return { account, keys, bans, today: { admitted, refused, banned }, windows }
}
