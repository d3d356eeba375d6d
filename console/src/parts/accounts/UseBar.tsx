import '../share.css'

/** From this share of a limit, in percent, an account is near it. */
export const NEAR_PERCENT = 80

export const LEVEL_TONES = { normal: undefined, near: 'change', full: 'danger' } as const

/** @param usedPercent how much of a limit is used */
export function levelOf(usedPercent: number): 'normal' | 'near' | 'full' {
  if (usedPercent >= 100) return 'full'
  return usedPercent >= NEAR_PERCENT ? 'near' : 'normal'
}

/** How much of a limit is used, as a bar. The number beside it says the same. */
export function UseBar({ percent }: { percent: number }) {
  return (
    <div className="share" data-tone={LEVEL_TONES[levelOf(percent)]} aria-hidden="true">
      <div style={{ inlineSize: `${Math.min(100, percent)}%` }} />
    </div>
  )
}
