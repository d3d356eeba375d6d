import { useState } from 'react'
import type { Token } from '../../api/schema.ts'
import { useRows } from '../../data/rows.ts'
import { signOut, useIsAdmin, useSession } from '../../data/session.ts'
import { tokensQuery, useRevokeToken } from '../../data/tokens.ts'
import { startFresh } from '../../lib/leaving.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { CreateTokenDialog } from '../../parts/tokens/CreateTokenDialog.tsx'
import { ROLE_NAMES } from '../../parts/tokens/roles.ts'
import { SignInLinkDialog } from '../../parts/tokens/SignInLinkDialog.tsx'
import { useAction } from '../../shortcuts/shortcuts.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Badge, EmptyState } from '../../ui/states.tsx'
import { addToast } from '../../ui/toasts.ts'

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
  const [linking, setLinking] = useState<Token>()
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
        columns={columnsOf(setLinking, setRevoking)}
        {...list}
        empty={['There are no tokens']}
      />
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} />}
      {linking && <SignInLinkDialog token={linking} onClose={() => setLinking(undefined)} />}
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />}
    </Screen>
  )
}

const STATES = {
  active: <Badge tone="good">Active</Badge>,
  expired: <Badge>Expired</Badge>,
  revoked: <Badge tone="danger">Revoked</Badge>,
}

function columnsOf(onLink: (token: Token) => void, onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    { name: 'Name', cell: token => <Name token={token} /> },
    { name: 'Role', width: '9rem', onPhone: 'plain', cell: ({ role }) => ROLE_NAMES[role] },
    { name: 'State', width: '7rem', onPhone: 'plain', cell: ({ state }) => STATES[state] },
    { name: 'Created', width: '9rem', isSecondary: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { name: 'Expires', width: '9rem', onPhone: 'labelled', cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    { name: 'Ends with', width: '7rem', isSecondary: true, cell: ({ hint }) => <code>…{hint}</code> },
    {
      name: 'Action',
      width: '15rem',
      cell: token =>
        token.state === 'active' && (
          <div className="cell-actions">
            {token.role !== 'feed' && (
              <Button aria-label={`Create a sign-in link for ${token.name}`} onClick={() => onLink(token)}>
                Sign-in link
              </Button>
            )}
            <Button aria-label={`Revoke the token of ${token.name}`} onClick={() => onRevoke(token)}>
              Revoke
            </Button>
          </div>
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

function RevokeDialog({ token, onClose }: { token: Token; onClose(): void }) {
  const { operator } = useSession()
  const revoke = useRevokeToken()
  const isOwn = operator.tokenId === token.id
  return (
    <ConfirmDialog
      onClose={onClose}
      title={isOwn ? 'Revoke your own token?' : sentence`Revoke the token of “${token.name}”?`}
      action={isOwn ? 'Revoke and sign out' : 'Revoke token'}
      typed={isOwn ? token.name : undefined}
      onConfirm={async () => {
        await revoke.mutateAsync(token.id)
        if (isOwn) {
          await signOut()
          startFresh()
        } else addToast({ title: sentence`The token of “${token.name}” is revoked` })
      }}
    >
      {isOwn ? (
        <p>
          <strong>You will be signed out.</strong> You need another token to sign in again. This cannot be undone.
        </p>
      ) : (
        <p>
          The token stops working immediately, and everyone who signed in with it is signed out. This cannot be undone.
        </p>
      )}
    </ConfirmDialog>
  )
}
