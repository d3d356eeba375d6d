import type { ReactNode } from 'react'
import './notice.css'
import './empty-state.css'
import './badge.css'

interface NoticeProps {
  tone?: 'info' | 'good' | 'change' | 'danger'
  children: ReactNode
}

/** A note in its context. Screen readers announce a failure as soon as it is shown. */
export function Notice({ tone = 'info', children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'danger' ? 'alert' : undefined}>
      {children}
    </div>
  )
}

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

type Tone = 'good' | 'change' | 'danger' | 'neutral'

/** A short state, in words and a colour. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}
