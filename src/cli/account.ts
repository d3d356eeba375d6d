import { Option } from 'commander'
import { COMMAND } from '../app/command-name.ts'
import { ACCOUNT_STATES, type AccountState, accountState, parseAccountName, usedPercent } from '../domain/account.ts'
import {
  createAccount,
  deleteAccount,
  findAccount,
  listAccounts,
  type PlanChoice,
  renameAccount,
  resumeAccount,
  setPlan,
  suspendAccount,
} from '../domain/administration/accounts.ts'
import { conflict, invalid } from '../domain/errors.ts'
import { formatCount } from '../domain/format-number.ts'
import { type Limits, PLANS, type Plan, parsePlan } from '../domain/plan.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { ACCOUNT_ORDERS, type AccountOrder, type AccountStore, type KeyQuery } from '../domain/store/accounts.ts'
import { accountJson, accountWithUsageJson } from '../schema/responses/accounts.ts'
import { parseCount } from './arguments.ts'
import type { Command } from './command.ts'
import { canAsk, confirm, YES, type YesOption } from './confirm.ts'
import { type JsonOption, print } from './output/print.ts'
import { formatLimits } from './output/text.ts'
import { addPageOptions, PAGES_HELP, type PageOptions, showPage } from './pages.ts'
import { withAdminContext, withStore } from './with-store.ts'

const ACCOUNT = 'name or id of the account'

export function addAccountCommands(program: Command): void {
  const account = program.newCommand('account', 'Accounts: the callers of the API, and their limits.')

  addPlanOptions(account.newCommand('create', 'Create an account.'))
    .argument('<name>', 'name of the account; must be unique')
    .json('print the account as JSON', CREATE_HELP)
    .action(async (name: string, { json, ...options }: PlanOptions & JsonOption) => {
      // Checked before a store is created for it.
      const choice = { ...chosenPlan(options), name: parseAccountName(name) }
      const created = await withAdminContext(context => createAccount(context, choice), { create: true })
      print(
        json,
        accountJson(created),
        `Account ${created.id} "${created.name}" is on plan ${created.plan}: ${formatLimits(created.limits)}.`,
        `Next: ${COMMAND} key create ${created.id}`,
      )
    })

  const list = account
    .newCommand('list', 'List accounts with their calls of today, oldest first by default.')
    .option('--name <part>', 'only names that contain this text, ignoring case and accents', parseSearchText)
    .addOption(new Option('--plan <plan>', 'only accounts on this plan').choices(PLANS))
    .addOption(new Option('--state <state>', 'only accounts in this state').choices(ACCOUNT_STATES))
    .addOption(new Option('--sort <order>', 'order of the list').choices(ACCOUNT_ORDERS).default('oldest'))
  addPageOptions(list, 'after', 'accounts')
    .json('print a JSON array of accounts', LIST_HELP)
    .action(async ({ name, plan, state, sort, ...options }: ListOptions) => {
      const isFiltered = [name, plan, state, options.after].some(one => one !== undefined)
      const wanted = { at: Date.now(), name, plan, state, sort }
      await showPage(options, 'after', (store, page) => listAccounts(store, { ...wanted, ...page }), {
        toJson: accountWithUsageJson,
        columns: {
          ID: one => one.id,
          NAME: one => one.name,
          PLAN: one => one.plan,
          STATE: accountState,
          'PER MINUTE': one => one.limits.perMinute,
          'PER DAY': one => one.limits.perDay,
          TODAY: one => one.usageToday.admitted,
          USED: one => `${usedPercent(one.usageToday.admitted, one.limits)}%`,
          REFUSED: one => one.usageToday.refused + one.usageToday.banned,
          'BANNED KEYS': one => one.bannedKeys,
          'DEPRECATED CALLS': one => one.deprecatedCalls,
        },
        whenEmpty: isFiltered
          ? 'No account matches.'
          : `There are no accounts yet; create one with ${COMMAND} account create.`,
      })
    })

  account
    .newCommand('show', 'Show one account: its limits, its keys and bans, and its calls today.')
    .argument('<account>', ACCOUNT)
    .json('print the account, its keys and bans as JSON', SHOW_HELP)
    .action(async (nameOrId: string, options: JsonOption) => {
      // Loaded late, so that other commands stay fast.
      const { showAccount } = await import('./account-show.ts')
      await showAccount(nameOrId, options)
    })

  account
    .newCommand('rename', 'Rename an account. Its id and its keys stay the same.')
    .argument('<account>', ACCOUNT)
    .argument('<name>', 'new name; must be unique')
    .json('print the account as JSON', RENAME_HELP)
    .action(async (nameOrId: string, name: string, { json }: JsonOption) => {
      const renamed = await withAdminContext(context => renameAccount(context, { account: nameOrId, name }))
      print(json, accountJson(renamed), `Account ${renamed.id} is now named "${renamed.name}".`)
    })

  addPlanOptions(account.newCommand('set-plan', 'Change the plan of an account.'))
    .argument('<account>', ACCOUNT)
    .json('print the account as JSON', SET_PLAN_HELP)
    .action(async (nameOrId: string, { json, ...options }: PlanOptions & JsonOption) => {
      const plan = chosenPlan(options)
      const changed = await withAdminContext(context => setPlan(context, { account: nameOrId, ...plan }))
      print(
        json,
        accountJson(changed),
        `Account ${changed.id} "${changed.name}" is now on plan ${changed.plan}: ${formatLimits(changed.limits)}.`,
      )
    })

  account
    .newCommand('suspend', 'Refuse all calls by an account until it is resumed.')
    .argument('<account>', ACCOUNT)
    .json('print the account as JSON', SUSPEND_HELP)
    .action(async (nameOrId: string, { json }: JsonOption) => {
      const suspended = await withAdminContext(context => suspendAccount(context, nameOrId))
      print(
        json,
        accountJson(suspended),
        `Account ${suspended.id} "${suspended.name}" is suspended: calls with its keys are refused from now on.`,
        `To resume it: ${COMMAND} account resume ${suspended.id}`,
      )
    })

  account
    .newCommand('resume', 'Accept calls by a suspended account again.')
    .argument('<account>', ACCOUNT)
    .json('print the account as JSON', RESUME_HELP)
    .action(async (nameOrId: string, { json }: JsonOption) => {
      const resumed = await withAdminContext(context => resumeAccount(context, nameOrId))
      print(json, accountJson(resumed), `Account ${resumed.id} "${resumed.name}" is active again.`)
    })

  account
    .newCommand('delete', 'Permanently delete an account and all its keys.')
    .argument('<account>', ACCOUNT)
    .option(YES[0], 'do not ask for confirmation; required without a terminal')
    .json('print the deleted account as JSON', DELETE_HELP)
    .action(async (nameOrId: string, { yes, json }: YesOption & JsonOption) => {
      const confirmed = yes ? nameOrId : await confirmDeletion(nameOrId)
      const { deleted, keys } = await withAdminContext(async context => {
        const { id } = await findAccount(context.store, confirmed)
        const keys = await countKeys(context.store, { accountId: id })
        return { deleted: await deleteAccount(context, String(id)), keys }
      })
      print(
        json,
        { ...accountJson(deleted), deletedKeys: keys },
        `Account ${deleted.id} "${deleted.name}" is deleted, along with its ${formatCount(keys, 'key')}.`,
      )
    })
}

interface ListOptions extends PageOptions {
  name?: string
  plan?: Plan
  state?: AccountState
  sort: AccountOrder
}

type PlanOptions = Partial<Limits> & { plan: Plan }

function addPlanOptions(command: Command): Command {
  return command
    .requiredOption('--plan <plan>', `${PLANS.join(', ')} (required)`, parsePlan)
    .option('--per-minute <n>', 'requests per minute (enterprise only, required there)', parseCount)
    .option('--per-day <n>', 'requests per day (enterprise only, required there)', parseCount)
}

/**
 * The domain decides which limits a plan needs. Missing limits are reported here, so that the message names the options.
 * @throws UserError
 */
function chosenPlan({ plan, ...limits }: PlanOptions): PlanChoice {
  if (plan === 'enterprise' && (limits.perMinute === undefined || limits.perDay === undefined)) {
    throw invalid('Plan enterprise needs both limits: --per-minute and --per-day.')
  }
  return { plan, limits }
}

/** Returns the id of the account: while the question is open, another account may take its name. */
async function confirmDeletion(nameOrId: string): Promise<string> {
  const { id, name, keys } = await withStore(async store => {
    const found = await findAccount(store, nameOrId)
    const active = { is: 'active', at: Date.now() } as const
    return { ...found, keys: await countKeys(store, { accountId: found.id, state: active }) }
  })
  const loss =
    keys === 0 ? 'It has no active keys.' : `Its ${formatCount(keys, 'active key')} would stop working forever.`
  const warning = `Deleting account ${id} "${name}" cannot be undone. ${loss}`
  if (!canAsk()) throw conflict(`${warning} To confirm, add --yes.`)
  await confirm(undefined, async () => `${warning} Delete it?`)
  return String(id)
}

async function countKeys(store: AccountStore, query: KeyQuery): Promise<number> {
  return (await store.listKeys(query)).length
}

const CREATE_HELP = `
A plan limits the total requests of all keys of the account:
  free          60 per minute      1,000 per day
  pro          300 per minute     10,000 per day
  business   1,000 per minute    100,000 per day
  enterprise   set with --per-minute and --per-day

Examples:
  $ petstore account create acme --plan pro
  $ petstore account create "Zoo Basel" --plan free --json
  $ petstore account create big --plan enterprise --per-minute 5000 \\
      --per-day 1000000`

const LIST_HELP = `
TODAY counts the admitted calls of the current UTC day, as of a few seconds ago;
USED is their share of PER DAY. REFUSED counts the other calls of today: over a
limit, or with a banned key. --sort usage begins with the largest share, --sort
refused with the most refused calls. DEPRECATED CALLS counts the account's calls
to GET /pets/{petId}, which will be removed; --json also shows the latest one.
${PAGES_HELP}

Examples:
  $ petstore account list
  $ petstore account list --plan enterprise --state active
  $ petstore account list --name pets --sort name --limit 20
  $ petstore account list --sort usage --limit 10
  $ petstore account list --after 100 --limit 100 --json`

const SHOW_HELP = `
Today's calls cover the current UTC day, as of a few seconds ago. Only admitted
calls count against the limits. The calls left are as of a second ago, across
all instances of the service. Only active keys are listed; petstore key list and
--json show all keys. All times are UTC.

Examples:
  $ petstore account show acme
  $ petstore account show 1 --json`

const RENAME_HELP = `
Examples:
  $ petstore account rename acme "Acme Pets"
  $ petstore account rename 1 acme --json`

const SET_PLAN_HELP = `
The new limits apply from the next call. Calls already made in the current
minute and day still count.

Examples:
  $ petstore account set-plan acme --plan business
  $ petstore account set-plan 1 --plan enterprise --per-minute 5000 \\
      --per-day 1000000`

const SUSPEND_HELP = `
Nothing is lost: the account keeps its plan, its keys and its usage.

Examples:
  $ petstore account suspend acme
  $ petstore account suspend 1 --json`

const RESUME_HELP = `
Its keys work again, except those that expired or were revoked in the meantime.

Examples:
  $ petstore account resume acme
  $ petstore account resume 1 --json`

const DELETE_HELP = `
This cannot be undone. The account's usage and audit log are kept under its id:
petstore usage 3, petstore audit --account 3. To block an account temporarily,
use petstore account suspend instead.

Examples:
  $ petstore account delete acme
  $ petstore account delete acme --yes
  $ petstore account delete 3 --yes --json`
