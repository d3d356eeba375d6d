import type { Ban } from '../../api/schema.ts'
import { formatOrdinal, formatRoughly } from '../../lib/numbers.ts'
import { Badge } from '../../ui/states.tsx'
import { Countdown, TimeText } from '../times.tsx'

export function keyLabel({ keyName, keyId }: Ban): string {
  return keyName ?? `Key ${keyId}`
}

/** Where calls with the key are banned from. */
export function sourceLabel({ source }: Ban): string {
  return source ?? 'any address'
}

/** Whether a ban is in force, and until when; or how it ended. */
export function BanState({ ban: { state, endsAt, liftedAt } }: { ban: Ban }) {
  const isInForce = state === 'in-force'
  return (
    <span>
      <Badge tone={isInForce ? 'danger' : 'neutral'}>{STATE_NAMES[state]}</Badge>{' '}
      {isInForce ? <Countdown until={endsAt} after=" left" over="ends now" /> : <TimeText at={liftedAt ?? endsAt} />}
    </span>
  )
}

const STATE_NAMES = { 'in-force': 'Banned', over: 'Over', lifted: 'Lifted' } as const

const ROW =
  'Each further ban lasts twice as long as the one before. After 24 hours without a ban, the count starts over.'

/** Such as "30 minutes, 2nd in a row": the planned length of the ban, and which ban in a row it is. */
export function BanOrdinal({ ban: { ordinal, startedAt, endsAt } }: { ban: Ban }) {
  const seconds = (Date.parse(endsAt) - Date.parse(startedAt)) / 1_000
  return (
    <span title={ROW}>
      {formatRoughly(seconds)}, {formatOrdinal(ordinal)} in a row
    </span>
  )
}
