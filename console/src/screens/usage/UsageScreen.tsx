import { useQuery } from '@tanstack/react-query'
import type { Usage } from '../../api/schema.ts'
import { keyNamesQuery } from '../../data/keys.ts'
import { usageExportUrl, usageQuery } from '../../data/usage.ts'
import { filterErrors } from '../../lib/forms.ts'
import { sumOf } from '../../lib/numbers.ts'
import { optionsOf } from '../../lib/options.ts'
import { controlsOf } from '../../lib/search.ts'
import { Chart } from '../../parts/Chart.tsx'
import { ClearButton } from '../../parts/ClearButton.tsx'
import { AccountFilter, FilterBar, FilterField, FilterSelect } from '../../parts/Filters.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Figures, Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Select } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { breakdownOf, breakdownQuery } from './breakdown.ts'
import {
  accountName,
  DEFAULT_RANGE,
  daysOf,
  filterOf,
  keyName,
  operationName,
  RANGE_OPTIONS,
  timeOf,
  unitOf,
  useUsageSearch,
} from './range.ts'
import { DeprecatedUse, TopAccounts, TopKeys, UsageRefusal } from './Top.tsx'
import './usage.css'

export function UsageScreen() {
  return (
    <Screen
      title="Usage"
      description="Calls of the public API: how many there were, who made them, and how they ended."
      actions={<Export />}
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

function Export() {
  const [search] = useUsageSearch()
  const url = usageExportUrl({ ...timeOf(search), ...filterOf(search) }, unitOf(search))
  return (
    <a className="button" title="All calls by account, key, operation and status" href={url} download>
      <Icon name="export" />
      Export as CSV
    </a>
  )
}

const UNITS = optionsOf({ hour: 'By hour', day: 'By day' })

const SPLITS = optionsOf({ status: 'Response', operation: 'Kind of call', account: 'Account', key: 'Key' })

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
          <div className="usage-choices row">
            <Select
              label="Show"
              options={UNITS}
              value={unit}
              disabled={search.range === '24h'}
              onChoose={unit => change({ unit })}
            />
            <Select label="Split by" options={SPLITS} value={breakdownOf(search)} onChoose={by => change({ by })} />
          </div>
        }
      >
        {error && <UsageRefusal error={error} />}
        {!data && !error && (
          <div className="usage-wait" aria-busy>
            <Loading />
          </div>
        )}
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
        { name: 'Answered', value: count(sum => sum.admitted), hint: 'Calls within the limits' },
        { name: 'Over the limit', value: count(sum => sum.refused), hint: 'Refused: the plan allows fewer calls' },
        { name: 'Banned keys', value: count(sum => sum.banned), hint: 'Refused: the key is banned' },
        { name: 'Our errors', value: count(sum => sum.status5xx), hint: 'Petstore failed (5xx)' },
      ]}
    />
  )
}

function NoCalls() {
  const [search, change] = useUsageSearch()
  const isFiltered = Object.values(filterOf(search)).some(value => value !== undefined)
  return isFiltered ? (
    <EmptyState
      title="No such calls in this period"
      action={<ClearButton onClear={() => change({ account: undefined, key: undefined, operation: undefined })} />}
    >
      Choose a longer period, or clear the filters.
    </EmptyState>
  ) : (
    <EmptyState title="No calls in this period">
      As soon as an app or a partner calls the public API with a key, its calls are shown here.
    </EmptyState>
  )
}

function UsageFilters() {
  const [search, change] = useUsageSearch()
  const { range = DEFAULT_RANGE } = search
  // The same query as the chart's: its errors are shown at the filter.
  const { error } = useQuery(usageQuery({ ...timeOf(search), ...filterOf(search), by: unitOf(search), fill: true }))
  const errors = filterErrors(error, search.account ? 'account' : 'key')
  const control = controlsOf(search, change, errors)
  return (
    <FilterBar
      label="Filter the calls"
      isSet={Object.values(filterOf(search)).some(Boolean)}
      onClear={() => change({ account: undefined, key: undefined, operation: undefined })}
      main={
        <FilterSelect
          label="Period"
          options={RANGE_OPTIONS}
          value={range}
          data-set={undefined}
          onChoose={range =>
            // Custom dates start with the period that was shown before.
            change({ range, from: undefined, to: undefined, ...(range === 'dates' && daysOf(search)) })
          }
        />
      }
    >
      {range === 'dates' && (
        <>
          <FilterField label="First day" type="date" {...control('from')} />
          <FilterField label="Last day" type="date" {...control('to')} />
        </>
      )}
      <AccountFilter
        value={search.account}
        onChoose={account => change({ account: account || undefined, key: undefined })}
        error={errors.get('account')}
      />
      <KeyFilter error={errors.get('key')} />
      <OperationFilter />
    </FilterBar>
  )
}

function OperationFilter() {
  const [search, change] = useUsageSearch()
  const { operation } = search
  const { data = [] } = useQuery(usageQuery({ ...timeOf(search), by: 'operation', top: 50 }))
  const called = data.map(row => row.operation ?? '').toSorted()
  const known = operation === undefined || called.includes(operation) ? called : [operation, ...called]
  return (
    <FilterSelect
      label="Kind of call"
      options={[{ value: '', name: 'All calls' }, ...known.map(value => ({ value, name: operationName(value) }))]}
      value={operation}
      onChoose={operation => change({ operation: operation || undefined })}
    />
  )
}

/** The keys of the chosen account; without one, the keys that call the most. */
function KeyFilter({ error }: { error: string | undefined }) {
  const [search, change] = useUsageSearch()
  const { account, key } = search
  const { data: own = [] } = useQuery(keyNamesQuery(account))
  const busiest = useQuery({ ...usageQuery({ ...timeOf(search), by: 'key,account', top: 50 }), enabled: !account })
  const options = account
    ? own.map(one => ({ value: String(one.id), name: `${keyName({ keyId: one.id, keyName: one.name })} …${one.hint}` }))
    : (busiest.data ?? []).map(row => ({ value: String(row.keyId), name: `${keyName(row)} · ${accountName(row)}` }))
  const isKnown = key === undefined || options.some(({ value }) => value === key)
  return (
    <FilterSelect
      label="Key"
      options={[{ value: '', name: 'All keys' }, ...(isKnown ? [] : [{ value: key, name: `Key ${key}` }]), ...options]}
      value={key}
      onChoose={key => change({ key: key || undefined })}
      error={error}
    />
  )
}
