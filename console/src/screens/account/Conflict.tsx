import { isConflict } from '../../api/errors.ts'
import type { Account } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { PLAN_NAMES } from '../../lib/plans.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Quoted } from '../../ui/Quoted.tsx'

/** If the account has changed since the operator saw it, shows its current state. The next save is based on that version. */
export function conflictWith(account: Account, error: Error | null) {
  return isConflict(error) ? <Conflict account={account} /> : undefined
}

function Conflict({ account: { name, plan, perMinute, perDay } }: { account: Account }) {
  return (
    <Notice tone="danger">
      This account has changed since you opened it. It is now <Quoted>{name}</Quoted> on the {PLAN_NAMES[plan]} plan (
      {formatCount(perMinute)} calls per minute, {formatCount(perDay)} per day). Save again to apply your change.
    </Notice>
  )
}
