import { type ReactNode, useId } from 'react'
import { cx } from '../ui/cx.ts'
import './panel.css'

interface PanelProps {
  title: string
  actions?: ReactNode
  /** Whether its content extends to its edges, as a table does. */
  isFlush?: boolean
  className?: string
  children: ReactNode
}

/** A part of a screen with a heading. */
export function Panel({ title, actions, isFlush = false, className, children }: PanelProps) {
  const id = useId()
  return (
    <section className={cx('panel', isFlush && 'is-flush', className)} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}
