import { type Command, Option } from 'commander'
import { DEFAULT_USAGE_DAYS, findPastAccount, parseDimensions, parseUsageDays } from '../domain/administration/usage.ts'
import { dayOf, formatDay, type UsageDimension, type UsageQuery, type UsageSum } from '../domain/usage.ts'
import { usageJson } from '../schema/operator-json.ts'
import { parseDays } from './arguments.ts'
import { type JsonOption, printJson, printText } from './output/print.ts'
import { withStore } from './with-store.ts'

const DEFAULT_WIDTH = 80

interface Options extends JsonOption {
  days: number
  from?: string
  to?: string
  by?: UsageDimension[]
  operation?: string
}

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('Show how many calls were made: by account, or by day for one account.')
    .argument('[account]', 'name or id of the account')
    .addOption(buildDaysOption())
    .option('--from <date>', 'first day')
    .option('--to <date>', 'last day')
    .option('--by <what>', 'sum up by day, account, key or operation, or several of them', parseBy)
    .option('--operation <name>', 'only calls of this operation, such as getPet')
    .option('--json', 'print a JSON array of sums')
    .addHelpText('after', HELP)
    .action(async (nameOrId: string | undefined, options: Options) => {
      const days = parseUsageDays(options, Date.now(), { days: options.days, nameOf: optionOf })
      const by = options.by ?? [nameOrId === undefined ? 'account' : 'day']
      const { account, sums, operations, keptDays } = await withStore(async (store, config) => {
        const account = nameOrId === undefined ? undefined : await findPastAccount(store, nameOrId)
        const accountId = account?.id
        const sums = await store.sumUsage({ ...days, accountId, operation: options.operation, by })
        const others = sums.length === 0 ? await store.sumUsage({ ...days, accountId, by: ['operation'] }) : []
        const operations = others.map(({ operation = '' }) => operation)
        return { account, sums, operations, keptDays: config.usageDays }
      })
      if (options.json) return printJson(sums.map(usageJson))
      const calls = describeCalls(days, account, options.operation)
      if (sums.length === 0) return printText(`There are no ${calls}.`, ...describeOperations(operations))
      const shown = by.join() === 'day' ? fillDays(sums, days, dayOf(Date.now()), keptDays) : sums
      // Loaded late, so that help and other commands stay fast.
      const { formatUsage } = await import('./usage-chart.ts')
      printText(capitalize(calls), '')
      process.stdout.write(`${formatUsage(by, shown, process.stdout.columns ?? DEFAULT_WIDTH)}\n`)
    })
}

function buildDaysOption(): Option {
  return new Option('--days <n>', 'the last n days, today included')
    .argParser(parseDays)
    .default(DEFAULT_USAGE_DAYS)
    .conflicts(['from', 'to'])
}

function parseBy(text: string): UsageDimension[] {
  return parseDimensions(text, optionOf)
}

function optionOf(parameter: string): string {
  return `--${parameter}`
}

function describeCalls(
  { fromDay, toDay }: Pick<UsageQuery, 'fromDay' | 'toDay'>,
  account: { id: bigint; name?: string } | undefined,
  operation = '',
): string {
  const whose = account ? ` by account ${account.name === undefined ? account.id : `"${account.name}"`}` : ''
  const what = operation && ` of ${operation}`
  return `calls${what}${whose} from ${formatDay(fromDay)} to ${formatDay(toDay)} (UTC)`
}

/** Makes a mistyped operation look different from one without calls. */
function describeOperations(operations: readonly string[]): string[] {
  return operations.length === 0 ? [] : [`There are calls of ${operations.join(', ')}.`]
}

/** Adds the days without calls, except for those of which nothing can be known: the future, and the time before usage was kept. */
function fillDays(
  sums: readonly UsageSum[],
  { fromDay, toDay }: Pick<UsageQuery, 'fromDay' | 'toDay'>,
  today: number,
  keptDays: number,
): UsageSum[] {
  const known = new Map(sums.map(sum => [sum.day, sum]))
  const [first = today, last = today] = [sums[0]?.day, sums.at(-1)?.day]
  const firstShown = Math.max(fromDay, Math.min(first, today - keptDays))
  const lastShown = Math.min(toDay, Math.max(last, today))
  return Array.from({ length: lastShown - firstShown + 1 }, (_, index) => {
    const day = firstShown + index
    return known.get(day) ?? { day, ...NOTHING }
  })
}

const NOTHING = {
  admitted: 0,
  refused: 0,
  banned: 0,
  status2xx: 0,
  status3xx: 0,
  status4xx: 0,
  status5xx: 0,
  lastAt: 0,
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const HELP = `
Only admitted calls count against the limits of a plan. Refused calls came after
the limits were used up, banned ones while the key was banned. Days are in UTC.
Calls appear after a few seconds, and are kept for PETSTORE_USAGE_DAYS days.

Examples:
  $ petstore usage
  $ petstore usage acme --days 7
  $ petstore usage acme --from 2030-01-01 --to 2030-01-31 --by day,key --json
  $ petstore usage --operation getPet      callers of a deprecated operation`
