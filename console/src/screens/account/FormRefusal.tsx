import { isConflict } from '../../api/errors.ts'
import type { Account } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { PLAN_NAMES } from '../../lib/plans.ts'
import { Notice } from '../../ui/Notice.tsx'

interface FormRefusalProps {
  message: string | undefined
  error: Error | null
  /** As it is now. */
  account: Account
}

/** Why a change was refused. If somebody else was faster, it shows what they have saved; the next save goes ahead on top of that. */
export function FormRefusal({ message, error, account: { name, plan, perMinute, perDay } }: FormRefusalProps) {
  if (message === undefined) return null
  if (!isConflict(error)) return <Notice tone="danger">{message}</Notice>
  return (
    <Notice tone="danger">
      Somebody else has changed this account while you were here. It is now <bdi>“{name}”</bdi> with the plan{' '}
      {PLAN_NAMES[plan]} ({formatCount(perMinute)} calls per minute, {formatCount(perDay)} per day). Save again to apply
      your change on top of that.
    </Notice>
  )
}
