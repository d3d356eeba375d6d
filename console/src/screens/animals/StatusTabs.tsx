import type { PetTotals } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { STATUSES } from '../../parts/statuses.tsx'
import { useAnimalsSearch } from './search.ts'

/** One status or all, each with its number of animals. */
export function StatusTabs({ totals }: { totals: PetTotals | undefined }) {
  const { search, change } = useAnimalsSearch()
  const chosen = search.status?.split(',')
  const tabs = [
    { value: undefined, name: 'All', count: totals?.total },
    ...STATUSES.map(({ value, name }) => ({ value, name, count: totals?.[value] })),
  ]
  return (
    <fieldset className="tabs" aria-label="Status">
      {tabs.map(({ value, name, count }) => (
        <button
          key={name}
          type="button"
          className="tab"
          aria-pressed={value === undefined ? chosen === undefined : (chosen?.includes(value) ?? false)}
          onClick={() => change({ status: value })}
        >
          {name}
          {count !== undefined && <span className="tab-count">{formatCount(count)}</span>}
        </button>
      ))}
    </fieldset>
  )
}
