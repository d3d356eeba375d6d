import type { Usage } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { formatDay } from '../../lib/time.ts'

/** A bar for each day: the admitted calls, with the refused ones on top. The tooltip of each bar has its numbers, also for screen readers. */
export function UsageBars({ days }: { days: readonly Usage[] }) {
  const highest = Math.max(1, ...days.map(({ admitted, refused, banned }) => admitted + refused + banned))
  const part = (count: number) => ({ blockSize: `${(count / highest) * 100}%` })
  return (
    <div>
      <ol className="bars" aria-label="Calls by day">
        {days.map(({ day = '', admitted, refused, banned }) => {
          const text = `${formatDay(day)}: ${formatCount(admitted)} calls, ${formatCount(refused + banned)} refused`
          return (
            <li key={day} className="bar" title={text}>
              <span className="visually-hidden">{text}</span>
              <div className="bar-refused" style={part(refused + banned)} />
              <div className="bar-admitted" style={part(admitted)} />
            </li>
          )
        })}
      </ol>
      <p className="bars-days" aria-hidden="true">
        <span>{formatDay(days[0]?.day ?? '')}</span>
        <span>{formatDay(days.at(-1)?.day ?? '')}</span>
      </p>
    </div>
  )
}
