import { useState } from 'react'
import type { Token } from '../../api/schema.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { tokensQuery } from '../../data/tokens.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { useAction } from '../../shortcuts/actions.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { CreateDialog } from './CreateDialog.tsx'
import { columnsOf } from './columns.tsx'
import { RevokeDialog } from './RevokeDialog.tsx'

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
  const { rows, error, ...list } = useRows(tokensQuery)
  return (
    <Screen
      title="Operator tokens"
      description="Each operator signs in to this console with their own token. Staff manage animals; administrators can do everything."
      actions={
        <Button kind="primary" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          Create token
        </Button>
      }
    >
      <DataTable
        label="Operator tokens"
        columns={columnsOf(setRevoking)}
        rows={error ? [] : rows}
        keyOf={({ id }) => String(id)}
        {...list}
        empty={error ? <ListError error={error} /> : <EmptyState title="There are no tokens" />}
      />
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
      <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />
    </Screen>
  )
}
