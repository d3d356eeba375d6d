import type { ReactNode } from 'react'
import './filter-bar.css'

/** What is above a list: a search that takes the room, and filters beside it. */
export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className="filter-bar" aria-label={label}>
      {children}
    </search>
  )
}
