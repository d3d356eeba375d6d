import { Link } from '@tanstack/react-router'
import { Panel } from '../../parts/Panel.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { type Concern, useConcerns } from './use-concerns.ts'

const STATES = {
  ok: { tone: 'good', name: 'Healthy' },
  degraded: { tone: 'change', name: 'Needs attention' },
  failing: { tone: 'danger', name: 'Failing' },
} as const

/** Health at a glance, and all that someone should look at. Each line leads to where something can be done. */
export function Attention() {
  const { health, concerns, error } = useConcerns()
  const state = health && STATES[health.state]
  return (
    <Panel
      title="What needs attention"
      actions={
        state && (
          <Link to={'/health' as string} className="health-link">
            <Badge tone={state.tone}>{state.name}</Badge>
            <span>{health.instances === 1 ? '1 instance' : `${health.instances} instances`}</span>
          </Link>
        )
      }
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!error && concerns?.length === 0 && (
        <p className="all-well">
          <Icon name="check" />
          Nothing. All parts work, no key is banned or about to expire, and no deprecated operation is in use.
        </p>
      )}
      {concerns && concerns.length > 0 && (
        <ul className="concerns">
          {concerns.map(concern => (
            <Line key={concern.title} concern={concern} />
          ))}
        </ul>
      )}
      {!error && !concerns && <p aria-busy>…</p>}
    </Panel>
  )
}

function Line({ concern: { tone, icon, title, detail, to, search } }: { concern: Concern }) {
  return (
    <li data-tone={tone}>
      <Icon name={icon} />
      <div>
        <Link to={to} search={search ?? {}}>
          {title}
        </Link>
        <p dir="auto">{detail}</p>
      </div>
    </li>
  )
}
