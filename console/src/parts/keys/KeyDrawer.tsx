import { useQuery } from '@tanstack/react-query'
import type { Key } from '../../api/schema.ts'
import { keyQuery } from '../../data/keys.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { KeyActions } from './KeyActions.tsx'
import { KeyBans } from './KeyBans.tsx'
import { KeyFacts } from './KeyFacts.tsx'

interface KeyDrawerProps {
  /** Undefined while none is open. */
  keyId: string | undefined
  /** Keys that are already loaded: theirs is shown at once. */
  known?: readonly Key[]
  onClose(): void
}

/** A key beside its list: all that is known of it, and what can be done about it. */
export function KeyDrawer({ keyId, ...rest }: KeyDrawerProps) {
  return keyId ? <OpenDrawer keyId={keyId} {...rest} /> : null
}

function OpenDrawer({ keyId, known, onClose }: KeyDrawerProps & { keyId: string }) {
  const isAdmin = useIsAdmin()
  const { data: apiKey, error } = useQuery({
    ...keyQuery(keyId),
    placeholderData: () => known?.find(({ id }) => String(id) === keyId),
  })
  return (
    <Dialog isOpen onClose={onClose} title={apiKey?.name ?? `Key ${keyId}`} isDrawer>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {apiKey && (
        <>
          {isAdmin && apiKey.state === 'active' && <KeyActions apiKey={apiKey} />}
          <KeyFacts apiKey={apiKey} />
          <KeyBans apiKey={apiKey} />
        </>
      )}
    </Dialog>
  )
}
