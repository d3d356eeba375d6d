import { useQuery } from '@tanstack/react-query'
import type { Finding } from '../../api/schema.ts'
import { doctorQuery } from '../../data/health.ts'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'

const OUTCOMES = {
  ok: <Badge tone="good">OK</Badge>,
  warn: <Badge tone="change">Warning</Badge>,
  fail: <Badge tone="danger">Problem</Badge>,
}

/** A thorough examination, with what to do about each problem. */
export function DoctorPart() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery(doctorQuery)
  return (
    <section className="health-part" aria-labelledby="examination" aria-busy={isFetching}>
      <header className="health-head">
        <div>
          <h2 id="examination">Examination</h2>
          <p className="muted">
            Checks the settings, the store, its disk or servers, and the clocks. A large store takes some seconds.
          </p>
        </div>
        <Button isBusy={isFetching} onClick={() => refetch()}>
          {isFetching ? 'Examining …' : 'Run again'}
        </Button>
      </header>
      <p role="status" className="muted">
        {isFetching && 'The service is being examined …'}
        {!isFetching && data && (
          <>
            {summaryOf(data.findings)} Examined on <TimeText at={new Date(dataUpdatedAt).toISOString()} isExact />.
          </>
        )}
      </p>
      {error && <Notice tone="danger">{error.message}</Notice>}
      {data && (
        <ul className="findings">
          {data.findings
            .toSorted((a, b) => rank(b) - rank(a))
            .map(finding => (
              <Found key={`${finding.check} ${finding.message}`} finding={finding} />
            ))}
        </ul>
      )}
    </section>
  )
}

function Found({ finding: { check, outcome, message } }: { finding: Finding }) {
  return (
    <li className="finding">
      {OUTCOMES[outcome]}
      <div>
        <h3>{check}</h3>
        <p>{message}</p>
      </div>
    </li>
  )
}

function summaryOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ outcome }) => outcome !== 'ok').length
  if (open === 0) return 'No problems were found.'
  return open === 1 ? '1 finding needs attention.' : `${open} findings need attention.`
}

function rank({ outcome }: Finding): number {
  return ['ok', 'warn', 'fail'].indexOf(outcome)
}
