import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/call.ts'
import { keyNamesQuery } from '../../data/keys.ts'
import { usageQuery } from '../../data/usage.ts'
import { controlsOf } from '../../lib/search.ts'
import { AccountFilter, FilterBar, FilterField, FilterSelect } from '../../parts/Filters.tsx'
import {
  accountName,
  DEFAULT_RANGE,
  daysOf,
  filterOf,
  keyName,
  operationName,
  RANGE_OPTIONS,
  timeOf,
  type UsageSearch,
  unitOf,
  useUsageSearch,
} from './range.ts'

/** The filters of the screen. All of them are in the URL. */
export function UsageFilters() {
  const [search, change] = useUsageSearch()
  const { range = DEFAULT_RANGE } = search
  // The same query as the chart's: its errors are shown at the filter.
  const { error } = useQuery(usageQuery({ ...timeOf(search), ...filterOf(search), by: unitOf(search), fill: true }))
  const members = error instanceof ApiError ? error.members : new Map<string, string>()
  const isUnknown = error instanceof ApiError && error.status === 404
  const control = controlsOf(search, change, members)
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
          onChoose={range => change({ range, ...datesOf(range, search) })}
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
        error={members.get('account') ?? (isUnknown && search.account ? error.message : undefined)}
      />
      <KeyFilter error={members.get('key') ?? (isUnknown && !search.account ? error.message : undefined)} />
      <OperationFilter />
    </FilterBar>
  )
}

/** Custom dates start with the period that was shown before. */
function datesOf(range: string, search: UsageSearch): UsageSearch {
  const { from, to } = range === 'dates' ? daysOf(search) : {}
  return { from, to }
}

function OperationFilter() {
  const [search, change] = useUsageSearch()
  const { operation } = search
  const { data = [] } = useQuery(usageQuery({ ...timeOf(search), by: 'operation', top: 50 }))
  const called = data.map(row => row.operation ?? '').toSorted()
  const known = operation === undefined || called.includes(operation) ? called : [operation, ...called]
  return (
    <FilterSelect
      label="Operation"
      options={[{ value: '', name: 'All operations' }, ...known.map(value => ({ value, name: operationName(value) }))]}
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
