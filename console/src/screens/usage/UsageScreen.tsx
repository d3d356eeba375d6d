import { useQuery } from '@tanstack/react-query'
import type { Usage } from '../../api/schema.ts'
import { sumOf } from '../../lib/numbers.ts'
import { Chart } from '../../parts/Chart.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Field.tsx'
import { EmptyState, Loading } from '../../ui/messages.tsx'
import { breakdownOf, breakdownQuery } from './breakdown.ts'
import { filterOf, unitOf, useUsageSearch } from './range.ts'
import { DeprecatedUse, TopAccounts, TopKeys, UsageRefusal } from './Top.tsx'
import { UsageFilters } from './UsageFilters.tsx'
import './usage.css'

/** Who calls the public API, how often, and how the calls ended. */
export function UsageScreen() {
  return (
    <Screen
      title="Usage"
      description="Calls of the public API: how many there were, who made them, and how they ended."
    >
      <UsageFilters />
      <UsageCharts />
      <div className="usage-tops">
        <TopAccounts />
        <TopKeys />
      </div>
      <DeprecatedUse />
    </Screen>
  )
}

const UNIT_OPTIONS = [
  { value: 'hour', name: 'By hour' },
  { value: 'day', name: 'By day' },
]

const BREAKDOWN_OPTIONS = [
  { value: 'status', name: 'Response' },
  { value: 'operation', name: 'Operation' },
  { value: 'account', name: 'Account' },
  { value: 'key', name: 'Key' },
]

/** The totals of the chosen calls, and the calls over time. */
function UsageCharts() {
  const [search, change] = useUsageSearch()
  const { data, error, isPlaceholderData } = useQuery(breakdownQuery(search))
  const unit = unitOf(search)
  // Matches the old data, which is still shown while new data is loaded.
  const label = (data?.data.unit ?? unit) === 'hour' ? 'Calls by hour' : 'Calls by day'
  return (
    <>
      <UsageFigures sums={data?.sums} />
      <Panel
        title={label}
        actions={
          <div className="usage-choices">
            <Select
              label="Interval"
              options={UNIT_OPTIONS}
              value={unit}
              disabled={search.range === '24h'}
              onChange={event => change({ unit: event.target.value })}
            />
            <Select
              label="Group by"
              options={BREAKDOWN_OPTIONS}
              value={breakdownOf(search)}
              onChange={event => change({ by: event.target.value })}
            />
          </div>
        }
      >
        {error ? <UsageRefusal error={error} /> : !data ? <Waiting /> : null}
        {data && !error && <Chart label={label} data={data.data} isStale={isPlaceholderData} empty={<NoCalls />} />}
      </Panel>
    </>
  )
}

function UsageFigures({ sums }: { sums: readonly Usage[] | undefined }) {
  const count = (countOf: (sum: Usage) => number) => sums && sumOf(sums.map(countOf))
  return (
    <Figures
      label="Calls in this period"
      figures={[
        { name: 'Admitted', value: count(sum => sum.admitted), hint: 'Calls that were served' },
        { name: 'Refused', value: count(sum => sum.refused), hint: 'Calls over the limit of a plan' },
        { name: 'Banned', value: count(sum => sum.banned), hint: 'Calls with a banned key' },
        { name: 'Failures', value: count(sum => sum.status5xx), hint: 'Served with a 5xx response' },
      ]}
    />
  )
}

/** As high as the chart. */
function Waiting() {
  return (
    <div className="usage-wait" aria-busy>
      <Loading />
    </div>
  )
}

function NoCalls() {
  const [search, change] = useUsageSearch()
  const isFiltered = Object.values(filterOf(search)).some(value => value !== undefined)
  return isFiltered ? (
    <EmptyState
      title="No such calls in this period"
      action={
        <Button onClick={() => change({ account: undefined, key: undefined, operation: undefined })}>
          Clear filters
        </Button>
      }
    >
      Choose a longer period, or clear the filters.
    </EmptyState>
  ) : (
    <EmptyState title="No calls in this period">
      As soon as an app or a partner calls the public API with a key, its calls are shown here.
    </EmptyState>
  )
}
