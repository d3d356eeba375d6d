import type { Ban } from '../../api/schema.ts'
import { formatRoughly } from '../../lib/durations.ts'
import { formatOrdinal } from '../../lib/numbers.ts'

const ROW = 'Each ban in a row is twice as long as the one before. After 24 hours without a ban, a new row begins.'

/** Such as "30 minutes, 2nd in a row": how long the ban was meant to last, and which of a row it is. */
export function BanOrdinal({ ban: { ordinal, startedAt, endsAt } }: { ban: Ban }) {
  const seconds = (Date.parse(endsAt) - Date.parse(startedAt)) / 1_000
  return (
    <span title={ROW}>
      {formatRoughly(seconds)}, {formatOrdinal(ordinal)} in a row
    </span>
  )
}
