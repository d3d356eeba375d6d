import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Usage } from '../../api/schema.ts'
import { anyAccountQuery, petTotalsQuery } from '../../data/overview.ts'
import { useIsAdmin } from '../../data/session.ts'
import { usageQuery } from '../../data/usage.ts'
import { formatCount, sumOf } from '../../lib/numbers.ts'
import { Chart } from '../../parts/Chart.tsx'
import { chartByStatus } from '../../parts/chart-data.ts'
import { Loading } from '../../parts/Loading.tsx'
import { NewestActions } from '../../parts/NewestActions.tsx'
import { Figures, Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { STATUSES } from '../../parts/statuses.tsx'
import { Notice } from '../../ui/states.tsx'
import { Attention } from './Attention.tsx'
import '../../parts/steps.css'
import './overview.css'

export function OverviewScreen() {
  return (
    <Screen title="Overview">
      <FirstSteps />
      <Attention />
      <div className="overview-columns">
        <Calls />
        <Animals />
      </div>
      <NewestActions />
    </Screen>
  )
}

const LAST_DAY = usageQuery({ hours: 24, by: 'hour', fill: true })

const NO_CALLS = <p className="muted">The calls of partners and apps appear here, hour by hour.</p>

function Calls() {
  const { data, error } = useQuery(LAST_DAY)
  const sum = (countOf: (row: Usage) => number) => data && sumOf(data.map(countOf))
  return (
    <Panel
      title="Calls of the last 24 hours"
      actions={
        <Link to="/usage" search={{ range: '24h' }}>
          Show usage
        </Link>
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      <Figures
        label="Calls of the last 24 hours"
        figures={[
          { name: 'Answered', value: sum(row => row.admitted) },
          { name: 'Over the limit', value: sum(row => row.refused) },
          { name: 'Banned keys', value: sum(row => row.banned) },
        ]}
      />
      <div className="overview-chart" hidden={error !== null}>
        {!data && <Loading />}
        {data && <Chart label="Calls by hour" data={chartByStatus('hour', data)} isSmall empty={NO_CALLS} />}
      </div>
    </Panel>
  )
}

function Animals() {
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
          <ul className="stack">
            {STATUSES.map(({ value, name, tone }) => (
              <li key={value} className="row is-spread">
                <Link to="/animals" search={{ status: value }} className="row-link">
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

/** The first steps in a new service. The panel disappears when all are done. */
function FirstSteps() {
  const isAdmin = useIsAdmin()
  const { data: animals } = useQuery(petTotalsQuery)
  const { data: accounts } = useQuery(anyAccountQuery)
  if (!animals || !accounts) return null
  const hasAnimals = animals.total > 0
  const hasAccounts = accounts.rows.length > 0
  if (hasAnimals && hasAccounts) return null
  return (
    <Panel title="First steps">
      <p>Petstore publishes your animals to the apps and websites of your partners. Setting it up takes two steps.</p>
      <ol className="steps">
        <Step title="Add your animals" isDone={hasAnimals} to="/import" action="Import a file">
          Import them from a spreadsheet. You can also add and correct individual animals at any time.
        </Step>
        <Step
          title="Give a partner access"
          isDone={hasAccounts}
          to={isAdmin ? '/accounts' : undefined}
          action="Create account"
        >
          {isAdmin
            ? 'Create an account for each partner, and a key for their app.'
            : 'An admin creates an account and a key for each partner.'}
        </Step>
      </ol>
    </Panel>
  )
}

interface StepProps {
  title: string
  isDone: boolean
  to: '/import' | '/accounts' | undefined
  action: string
  children: string
}

function Step({ title, isDone, to, action, children }: StepProps) {
  return (
    <li className="step box">
      <h3 className="step-name" data-done={isDone}>
        {title}
        {isDone && <span className="visually-hidden"> (done)</span>}
      </h3>
      <p>{children}</p>
      {!isDone && to && (
        <Link className="button" to={to}>
          {action}
        </Link>
      )}
    </li>
  )
}
