import { formatCount } from '../lib/numbers.ts'
import './figures.css'

interface Figure {
  name: string
  /** Undefined until known. */
  value: number | undefined
  hint?: string
}

/** A few large numbers side by side. */
export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className="figures" aria-label={label}>
      {figures.map(({ name, value, hint }) => (
        <div key={name} className="figure">
          <dt>{name}</dt>
          <dd className="figure-value number">{value === undefined ? '–' : formatCount(value)}</dd>
          {hint && <dd className="figure-hint">{hint}</dd>}
        </div>
      ))}
    </dl>
  )
}
