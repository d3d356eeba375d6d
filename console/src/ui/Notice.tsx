import type { ReactNode } from 'react'
import './notice.css'

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
