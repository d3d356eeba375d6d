import { Fragment, type ReactNode, useId } from 'react'
import { formatCount } from '../lib/numbers.ts'
import { cx } from '../ui/cx.ts'
import './panel.css'
import './figures.css'
import './facts.css'

interface PanelProps {
  title: string
  actions?: ReactNode
  /** Whether its content extends to its edges, as a table does. */
  isFlush?: boolean
  className?: string
  children: ReactNode
}

export function Panel({ title, actions, isFlush = false, className, children }: PanelProps) {
  const id = useId()
  return (
    <section className={cx('panel stack', isFlush && 'is-flush', className)} aria-labelledby={id}>
      <header className="panel-head row is-spread">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

interface Figure {
  name: string
  /** Undefined until known. */
  value: number | undefined
  hint?: string
}

export function Figures({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className="figures" aria-label={label}>
      {figures.map(({ name, value, hint }) => (
        <div key={name} className="figure box">
          <dt className="muted">{name}</dt>
          <dd className="figure-value number">{value === undefined ? '–' : formatCount(value)}</dd>
          {hint && <dd className="hint">{hint}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** The properties of a record by their names, without those that it does not have. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  const given = Object.entries(facts).filter(([, value]) => value != null && value !== false)
  return (
    <dl className="facts">
      {given.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
