import { useState } from 'react'
import type { Key } from '../../api/schema.ts'
import { useRevokeKey } from '../../data/keys.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { TimeText } from '../TimeText.tsx'
import { ChangeKeyDialog } from './ChangeKeyDialog.tsx'
import { RotateKeyDialog } from './RotateKeyDialog.tsx'
import './keys.css'
import { Quoted } from '../../ui/Quoted.tsx'

/** What an admin can do with an active key. */
export function KeyActions({ apiKey }: { apiKey: Key }) {
  const [open, setOpen] = useState<'change' | 'rotate' | 'revoke'>()
  const close = () => setOpen(undefined)
  const revoke = useRevokeKey(apiKey.id)
  return (
    <div className="key-actions">
      <Button onClick={() => setOpen('change')}>Change</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate</Button>
      <Button className="is-danger" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {open === 'change' && <ChangeKeyDialog apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKeyDialog apiKey={apiKey} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'revoke'}
        onClose={close}
        title={<>Revoke the key {apiKey.name === null ? `…${apiKey.hint}` : <Quoted>{apiKey.name}</Quoted>}?</>}
        action="Revoke the key"
        onConfirm={() => revoke.mutateAsync()}
      >
        <p>
          Calls with this key are refused immediately. This cannot be undone. To replace the key without downtime,
          rotate it instead.
        </p>
        <p>
          Last used: <TimeText at={apiKey.lastUsedAt} />.
        </p>
      </ConfirmDialog>
    </div>
  )
}
