import { useState } from 'react'
import type { Token } from '../../api/schema.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin, useSession } from '../../data/session.ts'
import { tokensQuery } from '../../data/tokens.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { CreateDialog, RevokeDialog, ROLES } from './TokenDialogs.tsx'

/** Who may sign in, or call the admin API. */
export function TokensScreen() {
  if (useIsAdmin()) return <Tokens />
  return (
    <Screen title="Operator tokens">
      <EmptyState title="Only administrators see operator tokens">
        Ask one of them if you or a colleague need a token.
      </EmptyState>
    </Screen>
  )
}

function Tokens() {
  const [isCreating, setIsCreating] = useState(false)
  useAction('createToken', () => setIsCreating(true))
  const [revoking, setRevoking] = useState<Token>()
  const list = useRows(tokensQuery)
  return (
    <Screen
      title="Operator tokens"
      description="Each operator signs in to this console with their own token. Staff manage animals; administrators can do everything."
      actions={
        <Button icon="plus" kind="primary" onClick={() => setIsCreating(true)}>
          Create token
        </Button>
      }
    >
      <DataTable
        label="Operator tokens"
        columns={columnsOf(setRevoking)}
        {...list}
        empty={<EmptyState title="There are no tokens" />}
      />
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
      <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />
    </Screen>
  )
}

const STATES = {
  active: <Badge tone="good">Active</Badge>,
  expired: <Badge>Expired</Badge>,
  revoked: <Badge tone="danger">Revoked</Badge>,
}

const ROLE_NAMES = Object.fromEntries(ROLES.map(({ value, name }) => [value, name]))

function columnsOf(onRevoke: (token: Token) => void): Column<Token>[] {
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
