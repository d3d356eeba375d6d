import { useQuery } from '@tanstack/react-query'
import type { DeprecatedUsage } from '../../api/schema.ts'
import { deprecatedUsageQuery } from '../../data/usage.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { daysOf, useUsageSearch } from './range.ts'
import { UsageRefusal } from './UsageRefusal.tsx'

/** The accounts that must change their programs before an operation is removed. */
export function DeprecatedUse() {
  const [search] = useUsageSearch()
  const { data, error } = useQuery(deprecatedUsageQuery(daysOf(search)))
  return (
    <Panel title="Deprecated operations">
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
          : `In this period, ${formatCount(accounts)} ${accounts === 1 ? 'account' : 'accounts'} called it ${formatCount(calls)} times. Ask them to switch to another operation before that date.`}
      </p>
      {callers.length > 0 && (
        <table className="top">
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col">Calls</th>
              <th scope="col">Last call</th>
            </tr>
          </thead>
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
        <p className="top-detail">The {formatCount(callers.length)} accounts with the most calls are shown.</p>
      )}
    </>
  )
}

function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))
}
