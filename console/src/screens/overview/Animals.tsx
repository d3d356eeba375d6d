import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { petTotalsQuery } from '../../data/overview.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { STATUSES } from '../../parts/statuses.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { Notice } from '../../ui/Notice.tsx'

/** How many animals there are, by status. */
export function Animals() {
  const { data, error } = useQuery(petTotalsQuery)
  return (
    <Panel title="Animals" actions={<Link to="/animals">Show animals</Link>}>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!data && !error && <Loading />}
      {data && (
        <>
          <p>
            <strong className="figure-value number">{formatCount(data.total)}</strong> in all
          </p>
          <ul className="shares">
            {STATUSES.map(({ value, name, tone }) => (
              <li key={value}>
                <Link to="/animals" search={{ status: value }}>
                  {name}
                </Link>
                <span className="number">{formatCount(data[value])}</span>
                <span className="share">
                  <i data-tone={tone} style={{ inlineSize: `${data.total && (100 * data[value]) / data.total}%` }} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}
