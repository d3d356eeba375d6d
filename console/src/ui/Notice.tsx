import type { ReactNode } from 'react'
import './notice.css'

interface NoticeProps {
  tone?: 'info' | 'good' | 'change' | 'danger'
  children: ReactNode
}

/** Something to know, beside what it is about. A failure is read out as soon as it is shown. */
export function Notice({ tone = 'info', children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'danger' ? 'alert' : undefined}>
      {children}
    </div>
  )
}
