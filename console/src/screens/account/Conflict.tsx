import { isConflict } from '../../api/errors.ts'
import type { Account } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { PLAN_NAMES } from '../../lib/plans.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Quoted } from '../../ui/Quoted.tsx'

/** If somebody else was faster, shows what they have saved; the next save goes ahead on top of that. */
export function conflictWith(account: Account, error: Error | null) {
  return isConflict(error) ? <Conflict account={account} /> : undefined
}

function Conflict({ account: { name, plan, perMinute, perDay } }: { account: Account }) {
  return (
    <Notice tone="danger">
      Somebody else changed this account in the meantime. It is now <Quoted>{name}</Quoted> with the plan{' '}
      {PLAN_NAMES[plan]} ({formatCount(perMinute)} calls per minute, {formatCount(perDay)} per day). Save again to apply
      your change.
    </Notice>
  )
}
