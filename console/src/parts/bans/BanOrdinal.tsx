import type { Ban } from '../../api/schema.ts'
import { formatRoughly } from '../../lib/durations.ts'
import { formatOrdinal } from '../../lib/numbers.ts'

const ROW = 'Each ban in a row is twice as long as the one before. After 24 hours without a ban, a new row begins.'

/** Such as "2nd, 30 minutes": which ban in a row it is, and how long it was meant to last. */
export function BanOrdinal({ ban: { ordinal, startedAt, endsAt } }: { ban: Ban }) {
  const seconds = (Date.parse(endsAt) - Date.parse(startedAt)) / 1_000
  return (
    <span title={ROW}>
      {formatOrdinal(ordinal)}, {formatRoughly(seconds)}
    </span>
  )
}
