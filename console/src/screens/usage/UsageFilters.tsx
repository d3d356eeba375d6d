import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/errors.ts'
import { usageQuery } from '../../data/usage.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { AccountFilter } from './AccountFilter.tsx'
import { KeyFilter } from './KeyFilter.tsx'
import { operationName } from './names.ts'
import {
  DEFAULT_RANGE,
  daysOf,
  filterOf,
  RANGE_OPTIONS,
  timeOf,
  type UsageSearch,
  unitOf,
  useUsageSearch,
} from './range.ts'

/** Which calls the screen is about. All of it is in the address. */
export function UsageFilters() {
  const [search, change] = useUsageSearch()
  const { range = DEFAULT_RANGE } = search
  // The same sums as the chart's: what is wrong with them is said at the filter.
  const { error } = useQuery(usageQuery({ ...timeOf(search), ...filterOf(search), by: unitOf(search), fill: true }))
  const members = error instanceof ApiError ? error.members : new Map<string, string>()
  const isUnknown = error instanceof ApiError && error.status === 404
  return (
    <search className="usage-filters" aria-label="Filter the calls">
      <Select
        label="Time"
        options={RANGE_OPTIONS}
        value={range}
        onChange={({ target }) => change({ range: target.value, ...datesOf(target.value, search) })}
      />
      {range === 'dates' && (
        <>
          <Field
            label="First day"
            type="date"
            value={search.from ?? ''}
            onChange={({ target }) => change({ from: target.value })}
            error={members.get('from')}
          />
          <Field
            label="Last day"
            type="date"
            value={search.to ?? ''}
            onChange={({ target }) => change({ to: target.value })}
            error={members.get('to')}
          />
        </>
      )}
      <AccountFilter
        key={search.account}
        error={members.get('account') ?? (isUnknown && search.account ? error.message : undefined)}
      />
      <KeyFilter error={members.get('key') ?? (isUnknown && !search.account ? error.message : undefined)} />
      <OperationFilter />
    </search>
  )
}

/** Own dates begin with the time that was shown before. */
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
    <Select
      label="Operation"
      options={[{ value: '', name: 'All operations' }, ...known.map(value => ({ value, name: operationName(value) }))]}
      value={operation ?? ''}
      onChange={({ target }) => change({ operation: target.value || undefined })}
    />
  )
}
