import { useFormContext } from 'react-hook-form'
import { limitsOf } from '../../../../src/domain/plan.ts'
import type { Account, Plan } from '../../api/schema.ts'
import type { PlanChoice } from '../../data/accounts.ts'
import { fieldOf } from '../../lib/forms.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { Field, Select } from '../../ui/Field.tsx'
import { PLAN_OPTIONS } from './plans.tsx'

export interface PlanValues {
  plan: Plan
  perMinute: string
  perDay: string
}

/** The choice of a plan, in a form. Only enterprise accounts have custom limits. */
export function PlanFields() {
  const form = useFormContext<PlanValues>()
  const plan = form.watch('plan')
  const isOwn = plan === 'enterprise'
  return (
    <>
      <Select
        label="Plan"
        options={PLAN_OPTIONS}
        hint={isOwn ? 'You choose the limits of an enterprise account.' : describe(plan)}
        {...fieldOf(form, 'plan')}
      />
      {isOwn && (
        <div className="field-grid">
          <Field label="Calls per minute" inputMode="numeric" {...fieldOf(form, 'perMinute')} />
          <Field label="Calls per day" inputMode="numeric" {...fieldOf(form, 'perDay')} />
        </div>
      )}
    </>
  )
}

function describe(plan: Plan): string {
  const { perMinute, perDay } = limitsOf(plan)
  return `${formatCounted(perMinute, 'call')} per minute and ${formatCount(perDay)} per day, for all keys together.`
}

export function planValuesOf({ plan, perMinute, perDay }: Pick<Account, 'plan' | 'perMinute' | 'perDay'>): PlanValues {
  return { plan, perMinute: String(perMinute), perDay: String(perDay) }
}

/** A limit that is not a number is sent anyway: the service explains what is wrong. */
export function planChoiceOf({ plan, perMinute, perDay }: PlanValues): PlanChoice {
  return plan === 'enterprise' ? { plan, perMinute: toLimit(perMinute), perDay: toLimit(perDay) } : { plan }
}

/** A number may be grouped as the console shows it, such as 10,000 or, in other regions, 10.000 or 10’000. */
function toLimit(text: string): number {
  return Number(text.replaceAll(/[\s,_'’]|\.(?=\d{3}(?!\d))/g, '') || Number.NaN)
}
