import { useState } from 'react'
import type { Ban, Key } from '../../api/schema.ts'
import { keyBanPages } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { BanOrdinal } from '../bans/BanOrdinal.tsx'
import { BanState } from '../bans/BanState.tsx'
import { LiftDialog } from '../bans/LiftDialog.tsx'
import { sourceLabel } from '../bans/source-label.ts'
import { TimeText } from '../TimeText.tsx'

/** The bans of a key, with a button to lift each one in force. */
export function KeyBans({ apiKey: { id } }: { apiKey: Key }) {
  const { rows, hasMore, isLoading, onEnd, error } = useRows(keyBanPages(String(id)))
  const [lifting, setLifting] = useState<Ban>()
  const isAdmin = useIsAdmin()
  return (
    <section className="key-bans" aria-label="Bans">
      <h3>Bans</h3>
      <p className="muted">
        A key is banned for an address that keeps calling instead of waiting. Elsewhere it keeps working. Each further
        ban lasts twice as long as the one before. After 24 hours without a ban, the count starts over.
      </p>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {rows.length === 0 && !isLoading && !error && <p>This key has never been banned.</p>}
      <ul className="links">
        {rows.map(ban => (
          <li key={String(ban.id)} className="link">
            <span className="link-text">
              <span>
                Banned <TimeText at={ban.startedAt} /> for {sourceLabel(ban)}
              </span>
              <span className="muted">
                <BanOrdinal ban={ban} />
              </span>
            </span>
            <BanState ban={ban} />
            {isAdmin && ban.state === 'in-force' && <Button onClick={() => setLifting(ban)}>Lift the ban</Button>}
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button onClick={onEnd} isBusy={isLoading}>
          Show more
        </Button>
      )}
      <LiftDialog ban={lifting} onClose={() => setLifting(undefined)} />
    </section>
  )
}
