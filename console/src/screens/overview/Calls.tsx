import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Usage } from '../../api/schema.ts'
import { usageQuery } from '../../data/usage.ts'
import { Chart } from '../../parts/Chart.tsx'
import { callsByStatus, periodOf } from '../../parts/calls-by-status.ts'
import type { ChartData } from '../../parts/chart-data.ts'
import { Figures } from '../../parts/Figures.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { Notice } from '../../ui/Notice.tsx'

const LAST_DAY = usageQuery({ hours: 24, by: 'hour', fill: true })

const NO_CALLS = <p className="muted">The calls of partners and apps appear here, hour by hour.</p>

/** The calls of the last 24 hours. */
export function Calls() {
  const { data, error } = useQuery(LAST_DAY)
  const chart = useMemo(() => data && chartOf(data), [data])
  const sum = (countOf: (row: Usage) => number) => data?.reduce((total, row) => total + countOf(row), 0)
  return (
    <Panel
      title="Calls of the last 24 hours"
      actions={
        <Link to="/usage" search={{ range: '24h' }}>
          Show usage
        </Link>
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      <Figures
        label="Calls of the last 24 hours"
        figures={[
          { name: 'Admitted', value: sum(row => row.admitted) },
          { name: 'Refused', value: sum(row => row.refused) },
          { name: 'Banned', value: sum(row => row.banned) },
        ]}
      />
      <div className="overview-chart" hidden={error !== null}>
        {!data && <Loading />}
        {chart && <Chart label="Calls by hour" data={chart} isSmall empty={NO_CALLS} />}
      </div>
    </Panel>
  )
}

function chartOf(rows: readonly Usage[]): ChartData {
  return { unit: 'hour', times: rows.map(periodOf), series: callsByStatus(rows) }
}
