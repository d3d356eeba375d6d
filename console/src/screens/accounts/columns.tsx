import { Link } from '@tanstack/react-router'
import type { Account } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { AccountStateBadge, PlanBadge } from '../../parts/accounts/badges.tsx'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'

export const COLUMNS: readonly Column<Account>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/accounts/$accountId" params={{ accountId: String(id) }} className="row-link" tabIndex={-1}>
        <bdi title={name}>{name}</bdi>
      </Link>
    ),
  },
  { name: 'Plan', width: '7.5rem', onPhone: 'plain', cell: ({ plan }) => <PlanBadge plan={plan} /> },
  { name: 'State', width: '8rem', onPhone: 'end', cell: ({ state }) => <AccountStateBadge state={state} /> },
  {
    name: 'Calls per minute',
    width: '9rem',
    isNumber: true,
    onPhone: 'hidden',
    cell: ({ perMinute }) => formatCount(perMinute),
  },
  {
    name: 'Calls per day',
    width: '9rem',
    isNumber: true,
    onPhone: 'hidden',
    cell: ({ perDay }) => formatCount(perDay),
  },
  { name: 'Created', width: '10rem', isSecondary: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
]
