import type { Health, HealthPart } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { TimeText } from '../../parts/TimeText.tsx'
import { Badge } from '../../ui/Badge.tsx'

const SUMMARY = {
  ok: 'Everything works',
  degraded: 'It works, but something needs attention',
  failing: 'Something does not work',
}

const STATES = {
  ok: <Badge tone="good">OK</Badge>,
  degraded: <Badge tone="change">Needs attention</Badge>,
  failing: <Badge tone="danger">Does not work</Badge>,
}

/** The state of each part, the worst first. */
export function Parts({ health: { state, parts, instances } }: { health: Health }) {
  return (
    <section className="health-part" data-state={state} aria-labelledby="parts">
      <header className="health-head">
        <div role="status">
          <h2 id="parts">{SUMMARY[state]}</h2>
        </div>
        <p className="muted">{instances === 1 ? '1 instance runs' : `${formatCount(instances)} instances run`}</p>
      </header>
      <ul className="findings">
        {parts
          .toSorted((a, b) => rank(b) - rank(a))
          .map(part => (
            <Part key={`${part.part} ${part.message}`} part={part} />
          ))}
      </ul>
    </section>
  )
}

function Part({ part: { part, state, message, since } }: { part: HealthPart }) {
  return (
    <li className="finding">
      {STATES[state]}
      <div>
        <h3>{part}</h3>
        <p>{message}</p>
        {since && (
          <p className="muted">
            Since <TimeText at={since} isExact /> (<TimeText at={since} />)
          </p>
        )}
      </div>
    </li>
  )
}

function rank({ state }: HealthPart): number {
  return ['ok', 'degraded', 'failing'].indexOf(state)
}
