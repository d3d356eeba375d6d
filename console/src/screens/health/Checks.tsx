import type { ReactNode } from 'react'
import { Badge } from '../../ui/Badge.tsx'

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
