import { Link } from '@tanstack/react-router'
import { useConnection } from '../../data/connection.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Badge, Notice } from '../../ui/states.tsx'
import { type Concern, useConcerns } from './concerns.ts'

const STATES = {
  ok: { tone: 'good', name: 'Healthy' },
  degraded: { tone: 'change', name: 'Needs attention' },
  failing: { tone: 'danger', name: 'Failing' },
} as const

/** Health at a glance, and everything that needs attention. Each line has an action. */
export function Attention() {
  const { health, concerns, error } = useConcerns()
  const { isLost } = useConnection()
  const state = health && !isLost && STATES[health.state]
  return (
    <Panel
      title="What needs attention"
      actions={
        state && (
          <Link to="/health" className="row-link">
            <Badge tone={state.tone}>{state.name}</Badge>
          </Link>
        )
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!error && !isLost && !concerns && <Loading />}
      {!error && isLost && <p className="muted">Unknown while the service cannot be reached.</p>}
      {!error && !isLost && concerns?.length === 0 && (
        <p className="all-well">
          <Icon name="check" />
          Nothing. All parts work, no key is banned or about to expire, and no account has reached a limit today or is
          near one.
        </p>
      )}
      {concerns && concerns.length > 0 && (
        <ul className="lines">
          {concerns.map(concern => (
            <Line key={concern.title} concern={concern} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Line({ concern: { tone, icon, title, detail, action, link } }: { concern: Concern }) {
  return (
    <li className="concern" data-tone={tone}>
      <Icon name={icon} />
      <div>
        <h3>{title}</h3>
        <p className="muted" dir="auto">
          {detail}
        </p>
      </div>
      <Link className="button is-small" {...link}>
        {action}
      </Link>
    </li>
  )
}
