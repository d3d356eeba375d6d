import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/call.ts'
import type { DeprecatedUsage, Usage } from '../../api/schema.ts'
import { deprecatedUsageQuery, type UsageFilter, usageQuery } from '../../data/usage.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { formatDate } from '../../lib/time.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { TableHead } from '../../parts/TableHead.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Notice } from '../../ui/states.tsx'
import { BREAKDOWNS } from './breakdown.ts'
import { accountName, daysOf, filterOf, keyName, timeOf, useUsageSearch } from './range.ts'

const MAX_ROWS = 10

/** The accounts and keys with the most calls. Choosing a name filters by it. */
export function TopAccounts() {
  const [search] = useUsageSearch()
  if (search.account || search.key) return null
  return (
    <Panel title="Top accounts">
      <Top what="Account" {...BREAKDOWNS.account} />
    </Panel>
  )
}

export function TopKeys() {
  const [search] = useUsageSearch()
  if (search.key) return null
  return (
    <Panel title="Top keys">
      <Top what="Key" {...BREAKDOWNS.key} nameOf={keyName} detailOf={search.account ? undefined : accountName} />
    </Panel>
  )
}

interface TopProps {
  what: string
  by: string
  scopeOf(row: Usage): UsageFilter
  nameOf(row: Usage): string
  detailOf?: ((row: Usage) => string) | undefined
}

function Top({ what, by, scopeOf, nameOf, detailOf }: TopProps) {
  const [search, change] = useUsageSearch()
  const { data, error } = useQuery(usageQuery({ ...timeOf(search), ...filterOf(search), by, top: MAX_ROWS }))
  if (error) return <UsageRefusal error={error} />
  if (!data) return <Loading />
  if (data.length === 0) return <p>None in this period.</p>
  const most = Math.max(1, ...data.map(({ admitted }) => admitted))
  return (
    <table className="top">
      <TableHead names={[what, 'Calls', 'Refused', 'Last call']} />
      <tbody>
        {data.map(row => (
          <tr key={`${row.accountId} ${row.keyId}`}>
            <th scope="row">
              <button type="button" className="top-name" dir="auto" onClick={() => change(scopeOf(row))}>
                {nameOf(row)}
              </button>
              {detailOf && (
                <span className="hint" dir="auto">
                  {detailOf(row)}
                </span>
              )}
              <span className="share">
                <i style={{ inlineSize: `${(100 * row.admitted) / most}%` }} />
              </span>
            </th>
            <td>{formatCount(row.admitted)}</td>
            <td data-label="Refused">{formatCount(row.refused + row.banned)}</td>
            <td>
              <TimeText at={row.lastAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The accounts that must change their programs before an operation is removed. */
export function DeprecatedUse() {
  const [search] = useUsageSearch()
  const { data, error } = useQuery(deprecatedUsageQuery(daysOf(search)))
  return (
    <Panel title="Calls that will be removed">
      {error && <UsageRefusal error={error} />}
      {!data && !error && <Loading />}
      {data?.map(one => (
        <Operation key={one.operation} use={one} />
      ))}
    </Panel>
  )
}

function Operation({ use: { operation, removedAt, accounts, calls, callers } }: { use: DeprecatedUsage }) {
  const [, change] = useUsageSearch()
  return (
    <>
      <p>
        <code>{operation}</code> will be removed on <strong>{formatDate(removedAt)}</strong>.{' '}
        {accounts === 0
          ? 'No account called it in this period.'
          : `In this period, ${formatCounted(accounts, 'account')} called it ${formatCounted(calls, 'time')}. Ask them to switch to another call before that date.`}
      </p>
      {callers.length > 0 && (
        <table className="top">
          <TableHead names={['Account', 'Calls', 'Last call']} />
          <tbody>
            {callers.map(({ accountId, account, calls, lastAt }) => (
              <tr key={accountId}>
                <th scope="row">
                  <button
                    type="button"
                    className="top-name"
                    dir="auto"
                    onClick={() => change({ account: String(accountId), operation, key: undefined })}
                  >
                    {account}
                  </button>
                </th>
                <td>{formatCount(calls)}</td>
                <td>
                  <TimeText at={lastAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {callers.length < accounts && (
        <p className="hint">The {formatCount(callers.length)} accounts with the most calls are shown.</p>
      )}
    </>
  )
}

/** Why there are no numbers. An invalid filter is explained at the filter. */
export function UsageRefusal({ error }: { error: Error }) {
  const isExplained = error instanceof ApiError && (error.members.size > 0 || error.status === 404)
  return isExplained ? <p>Fix the filter marked above.</p> : <Notice tone="danger">{error.message}</Notice>
}
