import type { Command } from 'commander'
import { COMMAND } from '../command-name.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { addPlanOptions, type PlanOptions, planWish } from './plan-options.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountCreate(account: Command): void {
  addPlanOptions(account.command('create'))
    .description('Create an account on a plan.')
    .argument('<name>', 'name of the account; no other account may have it')
    .option('--json', 'print the account as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { json, ...options }: PlanOptions & { json?: true }) => {
      const wish = planWish(options)
      const created = await withActing(acting => createAccount(acting, { name, ...wish }), { mayMake: true })
      if (json) return printJson(accountView(created))
      printText(
        `Account ${created.id} "${created.name}" is on plan ${created.plan}.`,
        `Next: ${COMMAND} key create ${created.id}`,
      )
    })
}

const EXAMPLES = `
A plan sets how many requests all keys of the account may make together:
  free 60 a minute and 1,000 a day, pro 300 and 10,000, business 1,000 and
  100,000, enterprise whatever --per-minute and --per-day say.

Examples:
  $ petstore account create acme --plan pro
  $ petstore account create "Zoo Basel" --plan free --json
  $ petstore account create big --plan enterprise --per-minute 5000 \\
      --per-day 1000000`
