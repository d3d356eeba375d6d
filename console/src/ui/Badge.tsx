import './badge.css'

type Tone = 'good' | 'change' | 'danger' | 'neutral'

/** A short state, in words and a colour. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}
