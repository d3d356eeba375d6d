import type { Health } from '../../api/schema.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { TimeText } from '../../parts/TimeText.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Checks } from './Checks.tsx'

const SUMMARY = {
  ok: 'Everything works',
  degraded: 'It works, but something needs attention',
  failing: 'Something does not work',
}

const OUTCOMES = { ok: 'ok', degraded: 'attention', failing: 'problem' } as const

/** The state of the service as a whole, then of each part. */
export function Parts({ health: { state, parts, instances }, checkedAt }: { health: Health; checkedAt: number }) {
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
