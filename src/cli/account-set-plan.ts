import type { Command } from 'commander'
import { setPlan } from '../domain/administration/accounts.ts'
import { accountView } from '../views.ts'
import { printJson } from './json.ts'
import { addPlanOptions, type PlanOptions, planWish } from './plan-options.ts'
import { printText } from './text.ts'
import { withActing } from './with-store.ts'

export function addAccountSetPlan(account: Command): void {
  addPlanOptions(account.command('set-plan'))
    .description('Put an account on another plan.')
    .argument('<account>', 'name or id of the account')
    .option('--json', 'print the account as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (nameOrId: string, { json, ...options }: PlanOptions & { json?: true }) => {
      const wish = planWish(options)
      const changed = await withActing(acting => setPlan(acting, { account: nameOrId, ...wish }))
      if (json) return printJson(accountView(changed))
      const { perMinute, perDay } = changed.limits
      printText(
        `Account ${changed.id} "${changed.name}" is on plan ${changed.plan}: ${perMinute} requests a minute, ${perDay} a day.`,
      )
    })
}

const EXAMPLES = `
The new limits hold from the next call on; what was used in the current minute
and day stays used.

Examples:
  $ petstore account set-plan acme --plan business
  $ petstore account set-plan 1 --plan enterprise --per-minute 5000 \\
      --per-day 1000000`
