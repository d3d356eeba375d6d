import type { Zone } from './time.ts'

/** The choice of an expiry: never, after some seconds, or at the end of a day. */
export interface Expiry {
  /** `never`, `date`, or seconds from now. */
  after: string
  /** Such as 2030-12-31; used with `date`. */
  date: string
}

export const NEVER: Expiry = { after: 'never', date: '' }

/** The instant, for the service; undefined for never. */
export function instantOf({ after, date }: Expiry, zone: Zone, now: number): string | undefined {
  if (after === 'never') return undefined
  if (after !== 'date') return new Date(now + Number(after) * 1_000).toISOString()
  return new Date(`${date}T23:59:59${zone === 'utc' ? 'Z' : ''}`).toISOString()
}
