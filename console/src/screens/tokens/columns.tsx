import type { Token } from '../../api/schema.ts'
import { useSession } from '../../data/session.ts'
import type { Column } from '../../parts/DataTable.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ROLES } from './roles.ts'

const STATES = {
  active: <Badge tone="good">Active</Badge>,
  expired: <Badge>Expired</Badge>,
  revoked: <Badge tone="danger">Revoked</Badge>,
}

const ROLE_NAMES = Object.fromEntries(ROLES.map(({ value, name }) => [value, name]))

export function columnsOf(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    { name: 'Name', cell: token => <Name token={token} /> },
    { name: 'Role', width: '9rem', onPhone: 'plain', cell: ({ role }) => ROLE_NAMES[role] },
    { name: 'State', width: '7rem', onPhone: 'plain', cell: ({ state }) => STATES[state] },
    { name: 'Created', width: '9rem', isSecondary: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    {
      name: 'Expires',
      width: '9rem',
      onPhone: 'labelled',
      cell: ({ expiresAt }) => <TimeText at={expiresAt} />,
    },
    { name: 'Ends with', width: '7rem', isSecondary: true, cell: ({ hint }) => <code>…{hint}</code> },
    {
      name: 'Action',
      width: '6.5rem',
      cell: token =>
        token.state === 'active' && (
          <Button aria-label={`Revoke the token of ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ]
}

function Name({ token: { id, name } }: { token: Token }) {
  const { operator } = useSession()
  return (
    <>
      <strong dir="auto">{name}</strong>
      {operator.tokenId === id && <span className="muted"> (you)</span>}
    </>
  )
}
