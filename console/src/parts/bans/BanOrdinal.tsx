import type { Ban } from '../../api/schema.ts'
import { formatRoughly } from '../../lib/durations.ts'
import { formatOrdinal } from '../../lib/numbers.ts'

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
