import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Ban, Key } from '../../api/schema.ts'
import { keyBanPages, keyQuery } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { AccountLink } from '../audit.tsx'
import { BanOrdinal, BanState, sourceLabel } from '../bans/facts.tsx'
import { LiftDialog } from '../bans/LiftDialog.tsx'
import { Loading } from '../Loading.tsx'
import { Facts } from '../Panel.tsx'
import { RowList } from '../RowList.tsx'
import { RefusalTable } from '../refusals/RefusalTable.tsx'
import { TimeText } from '../times.tsx'
import { KeyExpiry, KeyLastUse, KeyStateBadge, SCOPE_NAMES } from './columns.tsx'
import { KeyActions } from './KeyActions.tsx'

interface KeyDrawerProps {
  keyId: string
  /** Keys that are already loaded, and can be shown immediately. */
  known?: readonly Key[]
  onClose(): void
}

/** A key next to its list: all its facts and actions. */
export function KeyDrawer({ keyId, known, onClose }: KeyDrawerProps) {
  const isAdmin = useIsAdmin()
  const { data: apiKey, error } = useQuery({
    ...keyQuery(keyId),
    placeholderData: () => known?.find(({ id }) => String(id) === keyId),
  })
  return (
    <Dialog onClose={onClose} title={apiKey?.name ?? `Key ${keyId}`} isDrawer>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!apiKey && !error && <Loading />}
      {apiKey && (
        <>
          {isAdmin && <KeyActions apiKey={apiKey} />}
          <KeyFacts apiKey={apiKey} />
          <KeyBans apiKey={apiKey} />
          <section className="stack" aria-label="Refused and failed calls">
            <h3>Refused and failed calls</h3>
            <RefusalTable owner={`/keys/${apiKey.id}`} />
          </section>
        </>
      )}
    </Dialog>
  )
}

export function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { id, accountId, account, hint, scope, networks, createdAt, revokedAt, replacedBy } = apiKey
  return (
    <Facts
      facts={{
        Account: <AccountLink id={String(accountId)} name={account} />,
        State: <KeyStateBadge apiKey={apiKey} />,
        Key: (
          <>
            <code>…{hint}</code>, number {String(id)}
          </>
        ),
        May: (
          <>
            {SCOPE_NAMES[scope]} <code className="muted">{scope}</code>
          </>
        ),
        'Allowed addresses': networks === null ? 'any' : <Networks networks={networks} />,
        'Last used': <KeyLastUse apiKey={apiKey} />,
        Issued: <TimeText at={createdAt} />,
        Expires: <KeyExpiry apiKey={apiKey} />,
        Revoked: revokedAt && <TimeText at={revokedAt} />,
        'Replaced by': replacedBy && (
          <Link to="/keys" search={{ key: String(replacedBy) }}>
            Key {String(replacedBy)}
          </Link>
        ),
      }}
    />
  )
}

function Networks({ networks }: { networks: readonly string[] }) {
  return (
    <ul>
      {networks.map(network => (
        <li key={network}>
          <code>{network}</code>
        </li>
      ))}
    </ul>
  )
}

function KeyBans({ apiKey: { id } }: { apiKey: Key }) {
  const list = useRows(keyBanPages(String(id)))
  const [lifting, setLifting] = useState<Ban>()
  const isAdmin = useIsAdmin()
  return (
    <section className="stack" aria-label="Bans">
      <h3>Bans</h3>
      <p className="muted">
        A key is banned for an address that keeps calling instead of waiting. Elsewhere it keeps working. Each further
        ban lasts twice as long as the one before. After 24 hours without a ban, the count starts over.
      </p>
      <RowList list={list} empty={<p>This key has never been banned.</p>}>
        {ban => (
          <>
            <span className="main-part">
              <span>
                Banned <TimeText at={ban.startedAt} /> for {sourceLabel(ban)}
              </span>
              <span className="muted">
                <BanOrdinal ban={ban} />
              </span>
            </span>
            <BanState ban={ban} />
            {isAdmin && ban.state === 'in-force' && <Button onClick={() => setLifting(ban)}>Lift the ban</Button>}
          </>
        )}
      </RowList>
      {lifting && <LiftDialog ban={lifting} onClose={() => setLifting(undefined)} />}
    </section>
  )
}
