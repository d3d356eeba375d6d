import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Finding } from '../../api/schema.ts'
import { doctorQuery } from '../../data/service.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Panel } from '../../parts/Panel.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'

interface Check {
  name: string
  message: string
  outcome: keyof typeof OUTCOMES
  /** Further facts, such as since when. */
  detail?: ReactNode
}

const OUTCOMES = {
  ok: { badge: <Badge tone="good">OK</Badge>, rank: 0 },
  attention: { badge: <Badge tone="change">Needs attention</Badge>, rank: 1 },
  problem: { badge: <Badge tone="danger">Problem</Badge>, rank: 2 },
}

/** The checks with their results, the worst first. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <ul className="checks">
      {checks
        .toSorted((a, b) => OUTCOMES[b.outcome].rank - OUTCOMES[a.outcome].rank)
        .map(({ name, message, outcome, detail }) => (
          <li key={`${name} ${message}`} className="check" data-outcome={outcome}>
            <h3>{name}</h3>
            {OUTCOMES[outcome].badge}
            <div className="check-message">
              <p>{message}</p>
              {detail}
            </div>
          </li>
        ))}
    </ul>
  )
}

const OUTCOME_OF = { ok: 'ok', warn: 'attention', fail: 'problem' } as const

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
            outcome: OUTCOME_OF[outcome],
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
