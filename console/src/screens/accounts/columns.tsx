import { Link } from '@tanstack/react-router'
import type { AccountWithUsage } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { AccountStateBadge, PLAN_NAMES } from '../../parts/accounts/plans.tsx'
import { LEVEL_TONES, levelOf, UseBar } from '../../parts/accounts/UseBar.tsx'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Badge } from '../../ui/states.tsx'

export const COLUMNS: readonly Column<AccountWithUsage>[] = [
  {
    name: 'Name',
    order: { value: 'name', direction: 'ascending' },
    cell: ({ id, name }) => (
      <Link
        to="/accounts/$accountId"
        params={{ accountId: String(id) }}
        className="row-link"
        tabIndex={-1}
        dir="auto"
        title={name}
      >
        {name}
      </Link>
    ),
  },
  { name: 'Plan', width: '6.5rem', onPhone: 'plain', cell: ({ plan }) => <Badge>{PLAN_NAMES[plan]}</Badge> },
  { name: 'State', width: '6.5rem', onPhone: 'end', cell: ({ state }) => <AccountStateBadge state={state} /> },
  {
    name: 'Calls today',
    width: '13rem',
    order: { value: 'usage', direction: 'descending' },
    onPhone: 'plain',
    cell: account => <Use account={account} />,
  },
  {
    name: 'Refused today',
    width: '8rem',
    order: { value: 'refused', direction: 'descending' },
    isNumber: true,
    onPhone: 'labelled',
    cell: ({ usageToday: { refused, banned } }) => (
      <span className={refused + banned > 0 ? 'toned' : undefined} data-tone="danger">
        {formatCount(refused + banned)}
      </span>
    ),
  },
  {
    name: 'Banned keys',
    width: '7rem',
    isNumber: true,
    isSecondary: true,
    onPhone: 'labelled',
    cell: ({ bannedKeys }) =>
      bannedKeys > 0 && (
        <span className="toned" data-tone="danger">
          {formatCount(bannedKeys)}
        </span>
      ),
  },
  {
    name: 'Calls per minute',
    width: '8rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ perMinute }) => formatCount(perMinute),
  },
  { name: 'Created', width: '8rem', isSecondary: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
]

const LEVEL_NAMES = { normal: undefined, near: 'Near limit', full: 'At limit' } as const

/** The calls that were answered today, within the limit per day. */
function Use({ account: { perDay, usageToday } }: { account: AccountWithUsage }) {
  const { admitted, usedPercent } = usageToday
  const level = levelOf(usedPercent)
  return (
    <div className="account-use">
      <span className="row is-spread">
        <span title={`${usedPercent}% of the calls per day`}>
          {formatCount(admitted)} of {formatCount(perDay)}
        </span>
        <span className="hint toned" data-tone={LEVEL_TONES[level]}>
          {LEVEL_NAMES[level]}
        </span>
      </span>
      <UseBar percent={usedPercent} />
    </div>
  )
}
