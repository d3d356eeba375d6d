import { LEVEL_TONES, levelOf } from '../../lib/use-level.ts'
import '../share.css'

/** How much of a limit is used, as a bar. The number beside it says the same. */
export function UseBar({ percent }: { percent: number }) {
  return (
    <div className="share" data-tone={LEVEL_TONES[levelOf(percent)]} aria-hidden="true">
      <div style={{ inlineSize: `${Math.min(100, percent)}%` }} />
    </div>
  )
}
