import { levelOf } from '../../lib/use-level.ts'
import './use-bar.css'

/** How much of a limit is used, as a bar. The number beside it says the same. */
export function UseBar({ percent }: { percent: number }) {
  return (
    <div className="use-bar" data-level={levelOf(percent)} aria-hidden="true">
      <div style={{ inlineSize: `${Math.min(100, percent)}%` }} />
    </div>
  )
}
