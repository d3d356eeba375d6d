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
  /** Undefined while no key is open. */
  keyId: string | undefined
  /** Keys that are already loaded, and can be shown immediately. */
  known?: readonly Key[]
  onClose(): void
}

/** A key next to its list: all its facts and actions. */
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
