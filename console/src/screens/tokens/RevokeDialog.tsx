import type { Token } from '../../api/schema.ts'
import { signOut, useSession } from '../../data/session.ts'
import { useRevokeToken } from '../../data/tokens.ts'
import { startFresh } from '../../lib/start-fresh.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Quoted } from '../../ui/Quoted.tsx'
import { toasts } from '../../ui/toasts.ts'

/** @param token undefined while the dialog is closed */
export function RevokeDialog({ token, onClose }: { token: Token | undefined; onClose(): void }) {
  const { operator } = useSession()
  const revoke = useRevokeToken()
  if (!token) return null
  const isOwn = operator.tokenId === token.id
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={
        isOwn ? (
          'Revoke your own token?'
        ) : (
          <>
            Revoke the token of <Quoted>{token.name}</Quoted>?
          </>
        )
      }
      action={isOwn ? 'Revoke and sign out' : 'Revoke token'}
      typed={isOwn ? token.name : undefined}
      onConfirm={async () => {
        await revoke.mutateAsync(token.id)
        if (isOwn) {
          await signOut()
          startFresh()
        } else
          toasts.add({
            title: (
              <>
                The token of <Quoted>{token.name}</Quoted> is revoked
              </>
            ),
          })
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
