import { useQuery } from '@tanstack/react-query'
import type { Health } from '../../api/schema.ts'
import { healthQuery, versionQuery } from '../../data/service.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Facts } from '../../parts/Facts.tsx'
import { ListError } from '../../parts/ListError.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { TimeText } from '../../parts/TimeText.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { Checks, DoctorPart } from './Checks.tsx'
import './health.css'

/** The state of the service, its version, and what to do about problems. */
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

const OUTCOMES = { ok: 'ok', degraded: 'attention', failing: 'problem' } as const

/** The state of the service as a whole, then of each part. */
function Parts({ health: { state, parts, instances }, checkedAt }: { health: Health; checkedAt: number }) {
  return (
    <section className="panel health-parts" aria-labelledby="parts">
      <header className="health-state" data-state={state}>
        <Icon name={state === 'ok' ? 'check' : 'warning'} />
        <div role="status">
          <h2 id="parts">{SUMMARY[state]}</h2>
        </div>
        <p className="muted">
          {formatCounted(instances, 'instance')} running · checked <TimeText at={new Date(checkedAt).toISOString()} />
        </p>
      </header>
      <Checks
        checks={parts.map(({ part, state, message, since }) => ({
          name: part,
          message,
          outcome: OUTCOMES[state],
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
  const { version, api, node, platform, publicUrl, startedAt, deployment } = data
  return (
    <Panel title="Version">
      <Facts
        facts={{
          Petstore: version,
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
