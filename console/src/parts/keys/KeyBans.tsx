import type { Ban, Key } from '../../api/schema.ts'
import { keyBanPages, useLiftBan } from '../../data/keys.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { TimeText } from '../TimeText.tsx'

/** When the key was banned, and a way to end a ban. */
export function KeyBans({ apiKey: { id } }: { apiKey: Key }) {
  const { rows, hasMore, isLoading, onEnd, error } = useRows(keyBanPages(String(id)))
  const lift = useLiftBan(id)
  const isAdmin = useIsAdmin()
  return (
    <section className="dialog-form" aria-label="Bans">
      <h3>Bans</h3>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {rows.length === 0 && !isLoading && (
        <p className="muted">None. A key is banned for a while if it keeps calling after it was refused.</p>
      )}
      <ul className="links">
        {rows.map(ban => (
          <li key={String(ban.id)} className="link">
            <BanText ban={ban} />
            {isAdmin && ban.state === 'in-force' && (
              <Button onClick={() => lift.mutate()} isBusy={lift.isPending}>
                Lift the ban
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button onClick={onEnd} isBusy={isLoading}>
          Show more
        </Button>
      )}
      {lift.error && <Notice tone="danger">{lift.error.message}</Notice>}
    </section>
  )
}

function BanText({ ban: { state, startedAt, endsAt, liftedAt, ordinal } }: { ban: Ban }) {
  return (
    <>
      <span className="link-text">
        <span>
          Banned <TimeText at={startedAt} />, {ordinal === 1 ? 'for the first time' : `number ${ordinal} in a row`}
        </span>
        <span className="muted">
          {state === 'lifted' ? 'lifted' : state === 'over' ? 'ended' : 'ends'}{' '}
          <TimeText at={state === 'lifted' ? liftedAt : endsAt} />
        </span>
      </span>
      {state === 'in-force' ? (
        <Badge tone="danger">In force</Badge>
      ) : (
        <Badge>{state === 'lifted' ? 'Lifted' : 'Over'}</Badge>
      )}
    </>
  )
}
