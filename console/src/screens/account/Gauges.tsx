import { useQuery } from '@tanstack/react-query'
import type { Account } from '../../api/schema.ts'
import { windowsQuery } from '../../data/accounts.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Gauge } from './Gauge.tsx'

/** How many calls the account currently has left within its limits. */
export function Gauges({ account: { id } }: { account: Account }) {
  const { data: windows, error, dataUpdatedAt } = useQuery(windowsQuery(String(id)))
  const aheadMs = windows ? dataUpdatedAt - Date.parse(windows.at) : 0
  return (
    <Panel title="Calls left" className="gauges">
      {error && <Notice tone="danger">{error.message}</Notice>}
      {windows && !windows.complete && (
        <Notice tone="change">Calls to other instances may be missing at the moment.</Notice>
      )}
      {windows && <Gauge name="This minute" window={windows.minute} aheadMs={aheadMs} />}
      {windows && <Gauge name="Today (UTC)" window={windows.day} aheadMs={aheadMs} />}
    </Panel>
  )
}
