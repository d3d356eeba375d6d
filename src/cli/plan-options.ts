import type { Command } from 'commander'
import { type Limits, PLANS } from '../domain/plan.ts'
import { parseCount } from './arguments.ts'

/** What a plan is chosen by, the same wherever one is. */
export type PlanOptions = Partial<Limits> & { plan: string }

export function addPlanOptions(command: Command): Command {
  return command
    .requiredOption('--plan <plan>', PLANS.join(', '))
    .option('--per-minute <n>', 'requests per minute (enterprise only, mandatory)', parseCount)
    .option('--per-day <n>', 'requests per day (enterprise only, mandatory)', parseCount)
}
