import { type Command, Option } from 'commander'
import { findPastAccount, parseDimensions, parseUsageDays, USUAL_DAYS } from '../domain/administration/usage.ts'
import { formatDay, type UsageDimension, type UsageQuery, type UsageSum } from '../domain/usage.ts'
import { usageView } from '../views.ts'
import { parseDays } from './arguments.ts'
import { printJson } from './json.ts'
import { printText } from './text.ts'
import { formatUsage } from './usage-chart.ts'
import { withStore } from './with-store.ts'

const WIDTH = 80

interface Options {
  days: number
  from?: string
  to?: string
  by?: UsageDimension[]
  operation?: string
  json?: true
}

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('Show how much the service is called: by account, or one account by day.')
    .argument('[account]', 'name or id of the account')
    .addOption(buildDaysOption())
    .option('--from <date>', 'first day')
    .option('--to <date>', 'last day')
    .option('--by <what>', 'add up by day, account, key, operation, or several of them', parseBy)
    .option('--operation <name>', 'only calls of this operation, such as getPet')
    .option('--json', 'print a JSON array of sums')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string | undefined, options: Options) => {
      const days = parseUsageDays(options, Date.now(), { days: options.days, nameOf: optionOf })
      const by = options.by ?? [nameOrId === undefined ? 'account' : 'day']
      const { account, sums, operations } = await withStore(async store => {
        const account = nameOrId === undefined ? undefined : await findPastAccount(store, nameOrId)
        const accountId = account?.id
        const sums = await store.sumUsage({ ...days, accountId, operation: options.operation, by })
        const others = sums.length === 0 ? await store.sumUsage({ ...days, accountId, by: ['operation'] }) : []
        return { account, sums, operations: others.map(({ operation = '' }) => operation) }
      })
      if (options.json) return printJson(sums.map(usageView))
      const calls = describeCalls(days, account, options.operation)
      if (sums.length === 0) return printText(`There are no ${calls}.`, ...hintAt(operations))
      const shown = by.join() === 'day' ? withEveryDay(sums, days.toDay) : sums
      printText(capitalize(calls), '')
      process.stdout.write(`${formatUsage(by, shown, process.stdout.columns ?? WIDTH)}\n`)
    })
}

function buildDaysOption(): Option {
  return new Option('--days <n>', 'the last n days, today included')
    .argParser(parseDays)
    .default(USUAL_DAYS)
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

/** A mistyped operation must not pass for one that nobody calls. */
function hintAt(operations: readonly string[]): string[] {
  return operations.length === 0 ? [] : [`There are calls of ${operations.join(', ')}.`]
}

/** The days without a call between those with one, and up to the last: a row of bars must not skip them. */
function withEveryDay(sums: readonly UsageSum[], toDay: number): UsageSum[] {
  const firstDay = sums[0]?.day ?? toDay
  const known = new Map(sums.map(sum => [sum.day, sum]))
  return Array.from({ length: toDay - firstDay + 1 }, (_, index) => {
    const day = firstDay + index
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

const EXAMPLES = `
Only admitted calls count against a plan's limits; refused ones came when these
were used up, banned ones while the key was banned. Days are those of UTC. Calls
show after a few seconds. How long usage is kept is PETSTORE_USAGE_DAYS.

Examples:
  $ petstore usage
  $ petstore usage acme --days 7
  $ petstore usage acme --from 2030-01-01 --to 2030-01-31 --by day,key --json
  $ petstore usage --operation getPet      who still calls what is to be removed`
