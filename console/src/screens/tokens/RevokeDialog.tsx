import type { Token } from '../../api/schema.ts'
import { useSession } from '../../data/session.ts'
import { useRevokeToken } from '../../data/tokens.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toasts } from '../../ui/toasts.tsx'

/** @param token undefined while none is to be revoked */
export function RevokeDialog({ token, onClose }: { token: Token | undefined; onClose(): void }) {
  const { operator } = useSession()
  const revoke = useRevokeToken()
  if (!token) return null
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke the token of “${token.name}”?`}
      action="Revoke the token"
      onConfirm={async () => {
        await revoke.mutateAsync(token.id)
        toasts.add({ title: `The token of ${token.name} is revoked` })
      }}
    >
      <p>It is refused from its next call, and everyone who signed in with it is signed out. This cannot be undone.</p>
      {operator.tokenId === token.id && (
        <p>
          <strong>You are signed in with this token:</strong> you need another one to sign in again.
        </p>
      )}
    </ConfirmDialog>
  )
}
