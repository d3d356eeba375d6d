import { TimeText } from '../../parts/TimeText.tsx'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** A value of the log: a text, a number, a time, yes or no, or nothing. */
export function Value({ value }: { value: string | number | bigint | boolean | null | undefined }) {
  if (value === null || value === undefined || value === '') return <span className="muted">none</span>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' && INSTANT.test(value)) return <TimeText at={value} isExact />
  return <bdi>{String(value)}</bdi>
}
