import { useQuery } from '@tanstack/react-query'
import { keyNamesQuery } from '../../data/key-names.ts'
import { usageQuery } from '../../data/usage.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { accountName, keyName } from './names.ts'
import { timeOf, useUsageSearch } from './range.ts'

/** The keys of the chosen account; without one, the keys that call the most. */
export function KeyFilter({ error }: { error: string | undefined }) {
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
