import { useQuery } from '@tanstack/react-query'
import type { Account } from '../../api/schema.ts'
import { windowsQuery } from '../../data/accounts.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Gauge } from './Gauge.tsx'

/** How much of its limits the account has used at this moment. */
export function Gauges({ account: { id } }: { account: Account }) {
  const { data: windows, error } = useQuery(windowsQuery(String(id)))
  return (
    <Panel title="Limits right now">
      {error && <Notice tone="danger">{error.message}</Notice>}
      {windows && !windows.complete && (
        <Notice tone="change">Calls to other instances may be missing for the moment.</Notice>
      )}
      {windows && <Gauge name="This minute" window={windows.minute} at={windows.at} />}
      {windows && <Gauge name="Today (UTC)" window={windows.day} at={windows.at} />}
    </Panel>
  )
}
