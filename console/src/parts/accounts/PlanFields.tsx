import { useFormContext } from 'react-hook-form'
import type { Account, Plan } from '../../api/schema.ts'
import type { PlanChoice } from '../../data/accounts.ts'
import { Field, Select } from '../../ui/Field.tsx'
import { PLAN_OPTIONS } from './badges.tsx'

/** A plan, as form values. */
export interface PlanValues {
  plan: Plan
  perMinute: string
  perDay: string
}

/** The choice of a plan, in a form. Only enterprise accounts have custom limits. */
export function PlanFields() {
  const { register, watch, formState } = useFormContext<PlanValues>()
  const { errors } = formState
  const isOwn = watch('plan') === 'enterprise'
  return (
    <>
      <Select
        label="Plan"
        options={PLAN_OPTIONS}
        hint={
          isOwn ? 'You choose the limits of an enterprise account.' : 'The plan sets how often the account may call.'
        }
        {...register('plan')}
        error={errors.plan?.message}
      />
      {isOwn && (
        <div className="field-row">
          <Field
            label="Calls per minute"
            inputMode="numeric"
            autoComplete="off"
            {...register('perMinute')}
            error={errors.perMinute?.message}
          />
          <Field
            label="Calls per day"
            inputMode="numeric"
            autoComplete="off"
            {...register('perDay')}
            error={errors.perDay?.message}
          />
        </div>
      )}
    </>
  )
}

export function planValuesOf({ plan, perMinute, perDay }: Pick<Account, 'plan' | 'perMinute' | 'perDay'>): PlanValues {
  return { plan, perMinute: String(perMinute), perDay: String(perDay) }
}

/** A limit that is not a number is sent anyway: the service explains what is wrong. */
export function planChoiceOf({ plan, perMinute, perDay }: PlanValues): PlanChoice {
  return plan === 'enterprise' ? { plan, perMinute: toLimit(perMinute), perDay: toLimit(perDay) } : { plan }
}

function toLimit(text: string): number {
  return Number(text.replaceAll(/[\s,_']/g, '') || Number.NaN)
}
