import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Finding, Health } from '../../api/schema.ts'
import { useConnection } from '../../data/connection.ts'
import { doctorQuery, healthQuery, versionQuery } from '../../data/service.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { ListError } from '../../parts/ListError.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Facts, Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/times.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, Notice } from '../../ui/states.tsx'
import './health.css'

export function HealthScreen() {
  const { data, error, dataUpdatedAt } = useQuery(healthQuery)
  return (
    <Screen
      title="Health"
      description="How the service is doing, and what to do about problems. The state is checked every 15 seconds."
    >
      {error && <ListError error={error} />}
      {!data && !error && <Loading />}
      {data && !error && <Parts health={data} checkedAt={dataUpdatedAt} />}
      <DoctorPart />
      <VersionPart />
    </Screen>
  )
}

const SUMMARY = {
  ok: 'Everything works',
  degraded: 'It works, but something needs attention',
  failing: 'Something does not work',
}

const TONES = { ok: 'good', degraded: 'change', failing: 'danger' } as const

/** The state of the service as a whole, then of each part. */
function Parts({ health: { state, parts, instances }, checkedAt }: { health: Health; checkedAt: number }) {
  const { isLost } = useConnection()
  return (
    <section className="panel stack" aria-labelledby="parts">
      <header className="health-state row" data-tone={isLost ? 'change' : TONES[state]}>
        <Icon name={state === 'ok' && !isLost ? 'check' : 'warning'} />
        <div role="status" className="main-part">
          <h2 id="parts">{isLost ? 'Not known while Petstore cannot be reached' : SUMMARY[state]}</h2>
        </div>
        <p className="muted">
          {formatCounted(instances, 'instance')} running · checked <TimeText at={new Date(checkedAt).toISOString()} />
        </p>
      </header>
      <Checks
        checks={parts.map(({ part, state, message, since }) => ({
          name: part,
          message,
          outcome: state,
          detail: since && (
            <p className="muted">
              Since <TimeText at={since} isFull />
            </p>
          ),
        }))}
      />
    </section>
  )
}

/** The running program, for bug reports. */
function VersionPart() {
  const { data } = useQuery(versionQuery)
  if (!data) return null
  const { version, commit, api, node, platform, publicUrl, startedAt, deployment } = data
  return (
    <Panel title="Version">
      <Facts
        facts={{
          Petstore: version,
          Commit: commit ?? 'unknown',
          'Public API': api,
          Deployment: deployment === 'production' ? 'Production' : 'Staging',
          'Public address': publicUrl ?? <span className="muted">not set</span>,
          'Node.js': node,
          System: platform,
          Started: <TimeText at={startedAt} isFull />,
        }}
      />
    </Panel>
  )
}

interface Check {
  name: string
  message: string
  outcome: keyof typeof OUTCOMES
  /** Further facts, such as since when. */
  detail?: ReactNode
}

const OK = { name: 'ok', badge: <Badge tone="good">OK</Badge>, rank: 0 }
const ATTENTION = { name: 'attention', badge: <Badge tone="change">Needs attention</Badge>, rank: 1 }
const PROBLEM = { name: 'problem', badge: <Badge tone="danger">Problem</Badge>, rank: 2 }
const OUTCOMES = { ok: OK, degraded: ATTENTION, warn: ATTENTION, failing: PROBLEM, fail: PROBLEM }

/** The checks with their results, the worst first. */
function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <ul className="lines">
      {checks
        .toSorted((a, b) => OUTCOMES[b.outcome].rank - OUTCOMES[a.outcome].rank)
        .map(({ name, message, outcome, detail }) => (
          <li key={`${name} ${message}`} className="check" data-outcome={OUTCOMES[outcome].name}>
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

/** Thorough checks, with what to do about each problem. */
function DoctorPart() {
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
      {data && <Checks checks={data.findings.map(({ check, ...finding }) => ({ name: check, ...finding }))} />}
    </Panel>
  )
}

function summaryOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ outcome }) => outcome !== 'ok').length
  if (open === 0) return `All ${formatCounted(findings.length, 'check')} passed.`
  return `${formatCounted(open, 'finding')} ${open === 1 ? 'needs' : 'need'} attention.`
}
