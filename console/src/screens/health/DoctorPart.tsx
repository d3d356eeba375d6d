import { useQuery } from '@tanstack/react-query'
import type { Finding } from '../../api/schema.ts'
import { doctorQuery } from '../../data/health.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Checks } from './Checks.tsx'

const OUTCOMES = { ok: 'ok', warn: 'attention', fail: 'problem' } as const

/** Thorough checks, with what to do about each problem. */
export function DoctorPart() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery(doctorQuery)
  return (
    <Panel
      title="Diagnostics"
      actions={
        <Button isBusy={isFetching} onClick={() => refetch()}>
          {isFetching ? 'Running …' : 'Run again'}
        </Button>
      }
    >
      <div>
        <p role="status">
          {isFetching && !data && 'Running the checks …'}
          {data && (
            <>
              <strong>{summaryOf(data.findings)}</strong> Last run on{' '}
              <TimeText at={new Date(dataUpdatedAt).toISOString()} isFull />.
            </>
          )}
        </p>
        <p className="muted">
          Checks the settings, the store, its disk or servers, and the clocks. With a large store, this takes a few
          seconds.
        </p>
      </div>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {data && (
        <Checks
          checks={data.findings.map(({ check, outcome, message }) => ({
            name: check,
            message,
            outcome: OUTCOMES[outcome],
          }))}
        />
      )}
    </Panel>
  )
}

function summaryOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ outcome }) => outcome !== 'ok').length
  if (open === 0) return `All ${formatCounted(findings.length, 'check')} passed.`
  return `${formatCounted(open, 'finding')} ${open === 1 ? 'needs' : 'need'} attention.`
}
