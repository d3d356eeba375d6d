import type { ReactNode } from 'react'
import './filter-grid.css'

/** Several filters above a list, each with its label. */
export function FilterGrid({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className="filter-grid" aria-label={label}>
      {children}
    </search>
  )
}
