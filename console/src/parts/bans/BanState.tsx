import type { Ban } from '../../api/schema.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Countdown } from '../Countdown.tsx'
import { TimeText } from '../TimeText.tsx'

/** Whether a ban is in force, and until when; or how it ended. */
export function BanState({ ban: { state, endsAt, liftedAt } }: { ban: Ban }) {
  return (
    <span className="ban-state">
      {state === 'in-force' ? (
        <Badge tone="danger">Banned</Badge>
      ) : (
        <Badge>{state === 'over' ? 'Over' : 'Lifted'}</Badge>
      )}
      {state === 'in-force' ? (
        <Countdown until={endsAt} over="ends now" />
      ) : (
        <TimeText at={state === 'over' ? endsAt : liftedAt} />
      )}
    </span>
  )
}
