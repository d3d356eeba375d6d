import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { petTotalsQuery } from '../../data/overview.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Notice } from '../../ui/Notice.tsx'

const STATUSES = [
  { status: 'available', name: 'Available', colour: '2' },
  { status: 'pending', name: 'Pending', colour: '3' },
  { status: 'sold', name: 'Sold', colour: 'other' },
] as const

/** How many animals there are, by their status. */
export function Animals() {
  const { data, error } = useQuery(petTotalsQuery)
  return (
    <Panel title="Animals" actions={<Link to={'/animals' as string}>Show animals</Link>}>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {data && (
        <>
          <p>
            <strong className="figure-value number">{formatCount(data.total)}</strong> in all
          </p>
          <ul className="shares">
            {STATUSES.map(({ status, name, colour }) => (
              <li key={status}>
                <Link to={'/animals' as string} search={{ status } as never}>
                  {name}
                </Link>
                <span className="number">{formatCount(data[status])}</span>
                <span className="share">
                  <i
                    className="chart-colour"
                    data-colour={colour}
                    style={{ inlineSize: `${data.total && (100 * data[status]) / data.total}%` }}
                  />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}
