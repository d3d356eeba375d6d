import type { ImportReport } from '../../api/schema.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { sharedReasonInWords } from './members.ts'
import './reasons.css'

/** Why lines of a file are bad: distinguishes one mistake in every line from many mistakes. */
export function Reasons({ reasons }: Pick<ImportReport, 'reasons'>) {
  if (reasons.length === 0) return null
  return (
    <ul className="reasons stack is-close" aria-label="Reasons">
      {reasons.map(({ reason, count, firstLines }) => (
        <li key={reason}>
          <span className="number">{formatCounted(count, 'line')}</span>
          <span dir="auto">
            {sharedReasonInWords(reason)} <span className="muted">{linesOf(count, firstLines)}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Such as "Lines 2, 4, 5, …" */
function linesOf(count: number, first: readonly number[]): string {
  return `${count === 1 ? 'Line' : 'Lines'} ${first.map(formatCount).join(', ')}${count > first.length ? ', …' : ''}`
}
