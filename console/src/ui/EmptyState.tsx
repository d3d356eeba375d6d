import type { ReactNode } from 'react'
import './empty-state.css'

/** Shown in an empty list: what would be here, and how to get there. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}
