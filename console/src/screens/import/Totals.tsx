import type { ImportTotals } from '../../api/import-answer.ts'
import { formatCount } from '../../lib/numbers.ts'

/** The totals of a report. */
export function Totals({ totals }: { totals: ImportTotals }) {
  const { mode, outcome, read, imported, updated, unchanged, badLines, firstId, lastId } = totals
  const isDone = outcome === 'imported'
  const figures: [string, string][] = [['Lines with an animal', formatCount(read)]]
  if (mode === 'add') figures.push([isDone ? 'Added' : 'To be added', formatCount(imported)])
  else {
    figures.push([isDone ? 'Corrected' : 'To be corrected', formatCount(updated)])
    figures.push(['Already correct', formatCount(unchanged)])
  }
  figures.push(['Bad lines', formatCount(badLines)])
  if (isDone && firstId !== null)
    figures.push(['Numbers', firstId === lastId ? `${firstId}` : `${firstId} to ${lastId}`])
  return (
    <dl className="import-totals">
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  )
}
