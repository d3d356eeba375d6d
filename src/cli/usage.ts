import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { type DeprecatedCaller, sumDeprecatedUsage } from '../domain/administration/deprecated-usage.ts'
import { readUsage } from '../domain/administration/read-usage.ts'
import { sumUsage, type UsageGroup, type UsageRow } from '../domain/administration/sum-usage.ts'
import {
  DEFAULT_USAGE_DAYS,
  DEFAULT_USAGE_HOURS,
  defaultGroups,
  findUsageScope,
  MAX_USAGE_HOURS,
  parseGroups,
  parseUsageRange,
  type UsageScope,
} from '../domain/administration/usage.ts'
import { invalid } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import { HOUR_MS } from '../domain/time.ts'
import { callsOf, formatDay, HOURLY_USAGE_DAYS, type UsageRange } from '../domain/usage.ts'
import { DEPRECATED_OPERATION, SUNSET_DATE } from '../schema/deprecation.ts'
import { deprecatedUsageJson, usageJson } from '../schema/responses/usage.ts'
import { formatUsageFile } from '../schema/usage-file.ts'
import { parseLimit, wholeFromTo } from './arguments.ts'
import type { Command } from './command.ts'
import { ignoreOutputErrors, type JsonOption, printJson, printText } from './output/print.ts'
import { type Columns, formatList } from './output/table.ts'
import { formatMinute } from './output/text.ts'
import { withStore } from './with-store.ts'

const DEFAULT_WIDTH = 80

interface Options extends JsonOption {
  days?: number
  hours?: number
  from?: string
  to?: string
  by?: UsageGroup[]
  key?: string
  operation?: string
  fill?: true
  top?: number
  deprecated?: true
  csv?: true
}

export function addUsageCommand(program: Command): void {
  program
    .newCommand('usage', 'Show the number of calls by account, or by day for one account or key.')
    .argument('[account]', 'name or id of the account')
    .addOption(
      new Option('--days <n>', `the last n days, today included (default: ${DEFAULT_USAGE_DAYS})`)
        .argParser(wholeFromTo(1, 36_500))
        .conflicts(['from', 'to', 'hours']),
    )
    .addOption(
      new Option('--hours <n>', 'the last n hours, the current one included')
        .argParser(wholeFromTo(1, MAX_USAGE_HOURS))
        .conflicts(['from', 'to']),
    )
    .option('--from <date>', 'first day')
    .option('--to <date>', 'last day')
    .option('--by <what>', 'group by day, hour, account, key, operation or status, or several of them', parseBy)
    .option('--key <key-id>', 'only calls with this key')
    .option('--operation <name>', 'only calls to this operation, such as getPet')
    .option('--fill', 'include the days or hours without calls')
    .option('--top <n>', 'only the n sums with the most calls, in descending order', parseLimit)
    .addOption(
      new Option('--deprecated', 'list the accounts that call the deprecated operation').conflicts(NOT_WITH_DEPRECATED),
    )
    .option('--json', 'print a JSON array of sums')
    .addOption(
      new Option('--csv', 'print all calls as CSV, by day or hour, account, key, operation and status').conflicts(
        NOT_WITH_CSV,
      ),
    )
    .addHelpText('after', HELP)
    .action((nameOrId: string | undefined, options: Options) => {
      if (options.csv) return printCsv(nameOrId, options)
      return options.deprecated ? showDeprecated(nameOrId, options) : showUsage(nameOrId, options)
    })
}

const NOT_WITH_CSV = ['json', 'fill', 'top', 'deprecated']

const NOT_WITH_DEPRECATED = ['hours', 'by', 'key', 'operation', 'fill', 'top']

async function showUsage(account: string | undefined, options: Options): Promise<void> {
  const { key, operation, top, json } = options
  const by = options.by ?? defaultGroups({ account, key })
  // A chart includes every day or hour.
  const fill = options.fill ?? (!json && ['day', 'hour'].includes(by.join()))
  const now = Date.now()
  const range = parseUsageRange(options, by, now, optionOf)
  const { scope, sums, operations } = await withStore(async (store, { usageDays: keptDays }) => {
    const scope = await findUsageScope(store, { account, key })
    const { accountId, keyId } = scope
    const sums = await sumUsage(store, { range, accountId, keyId, operation, by, fill, top }, now, { keptDays })
    const others = hasCalls(sums) ? [] : await store.sumUsage({ range, accountId, keyId, by: ['operation'] })
    return { scope, sums, operations: others.map(({ operation = '' }) => operation) }
  })
  if (json) return printJson(sums.map(usageJson))
  const calls = [
    'calls',
    ...(operation ? [`to ${operation}`] : []),
    ...describeScope(scope),
    describeRange(range),
  ].join(' ')
  if (!hasCalls(sums)) return printText(`There are no ${calls}.`, ...describeOperations(operations))
  // Loaded late, so that help and other commands stay fast.
  const { formatUsage } = await import('./usage-chart.ts')
  printText(capitalize(calls), '')
  const layout = { width: process.stdout.columns ?? DEFAULT_WIDTH, total: top === undefined ? 'TOTAL' : 'SHOWN' }
  process.stdout.write(`${formatUsage(by, sums, layout)}\n`)
}

async function printCsv(account: string | undefined, options: Options): Promise<void> {
  const { key, operation, by = [] } = options
  if (by.length > 1 || by.some(group => group !== 'day' && group !== 'hour')) {
    throw invalid(
      'With --csv, --by must be day or hour; there is always a row for each account, key, operation and status.',
    )
  }
  const range = parseUsageRange(options, by, Date.now(), optionOf)
  await withStore(async store => {
    const { accountId, keyId } = await findUsageScope(store, { account, key })
    const texts = formatUsageFile(await readUsage(store, { range, accountId, keyId, operation }))
    await pipeline(texts, process.stdout, { end: false }).catch(ignoreOutputErrors)
  })
}

async function showDeprecated(account: string | undefined, options: Options): Promise<void> {
  if (account !== undefined) throw invalid('--deprecated lists all accounts; leave out the account.')
  const range = parseUsageRange(options, [], Date.now(), optionOf)
  const wanted = { operation: DEPRECATED_OPERATION, range, limit: Number.MAX_SAFE_INTEGER }
  const usage = await withStore(store => sumDeprecatedUsage(store, wanted))
  if (options.json) return printJson([deprecatedUsageJson(usage)])
  const { operation, accounts, calls, callers } = usage
  printText(`${operation} is removed on ${SUNSET_DATE}.`)
  if (accounts === 0) return printText(`No account called it ${describeRange(range)}.`)
  const sum = `${formatCount(accounts, 'account')} made ${formatCount(calls, 'call')} to it`
  printText(`${sum} ${describeRange(range)}:`, '', formatList(callers, CALLER_COLUMNS))
}

const CALLER_COLUMNS: Columns<DeprecatedCaller> = {
  ID: ({ accountId }) => accountId,
  ACCOUNT: ({ accountName }) => accountName,
  CALLS: ({ calls }) => calls,
  'LAST CALL': ({ lastAt }) => formatMinute(lastAt),
}

function parseBy(text: string): UsageGroup[] {
  return parseGroups(text, optionOf)
}

function optionOf(parameter: string): string {
  return `--${parameter}`
}

function hasCalls(sums: readonly UsageRow[]): boolean {
  return sums.some(sum => callsOf(sum) > 0)
}

function describeScope({ accountId, accountName, keyId }: UsageScope): string[] {
  return [
    ...(keyId === undefined ? [] : [`with key ${keyId}`]),
    ...(accountId === undefined ? [] : [`by account ${accountName === undefined ? accountId : `"${accountName}"`}`]),
  ]
}

function describeRange({ unit, first, last }: UsageRange): string {
  if (unit === 'day') return `from ${formatDay(first)} to ${formatDay(last)} (UTC)`
  return `from ${formatMinute(first * HOUR_MS)} to ${formatMinute((last + 1) * HOUR_MS)}`
}

/** Helps to distinguish a mistyped operation from one without calls. */
function describeOperations(operations: readonly string[]): string[] {
  return operations.length === 0 ? [] : [`There are calls to ${operations.join(', ')}.`]
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const HELP = `
Only admitted calls count against the limits of a plan. Refused calls arrived
after the limits were used up; banned calls, while the key was banned. Days are
in UTC. Calls appear after a few seconds and are kept for PETSTORE_USAGE_DAYS
days. Hourly counts are kept for ${HOURLY_USAGE_DAYS} days; by default, the last ${DEFAULT_USAGE_HOURS} hours are
shown.

--by status groups the admitted calls by the class of their response, from 2xx
to 5xx; calls whose client disconnected before the response are under none.

--csv prints a row for each day, account, key, operation and status, or for each
hour with --hours or --by hour.

Examples:
  $ petstore usage
  $ petstore usage acme --days 7
  $ petstore usage acme --by hour
  $ petstore usage --key 12 --hours 48 --by hour,status
  $ petstore usage acme --from 2030-01-01 --to 2030-01-31 --by day,key --json
  $ petstore usage --by key,account --top 10
  $ petstore usage --days 7 --csv > usage.csv
  $ petstore usage --deprecated            callers of the deprecated operation`
