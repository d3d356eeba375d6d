import type { Command } from 'commander'
import type { PlanWish } from '../domain/administration/accounts.ts'
import { Mistake } from '../domain/errors.ts'
import { type Limits, PLANS, type Plan, parsePlan } from '../domain/plan.ts'
import { parseCount } from './arguments.ts'

/** What a plan is chosen by, the same wherever one is. */
export type PlanOptions = Partial<Limits> & { plan: Plan }

export function addPlanOptions(command: Command): Command {
  return command
    .requiredOption('--plan <plan>', `${PLANS.join(', ')} (required)`, parsePlan)
    .option('--per-minute <n>', 'requests per minute (enterprise only, mandatory)', parseCount)
    .option('--per-day <n>', 'requests per day (enterprise only, mandatory)', parseCount)
}

/**
 * The plan that was chosen. Which numbers go with it the domain decides; that some are missing is told here by the options' names.
 * @throws Mistake
 */
export function planWish({ plan, ...limits }: PlanOptions): PlanWish {
  if (plan === 'enterprise' && (limits.perMinute === undefined || limits.perDay === undefined)) {
    throw new Mistake('invalid', 'Plan enterprise needs both limits: --per-minute and --per-day.')
  }
  return { plan, limits }
}
