import { isIP } from 'node:net'
import { DAY_MS } from '../domain/time.ts'
import type { KeyPair } from './key-pair.ts'

/** Tools usually renew a certificate when a third of its lifetime is left: 30 days for most. */
const SOON_DAYS = 14
/** The share of the lifetime, for certificates with a lifetime of less than 70 days. */
const SOON_SHARE = 0.2

/** The validity period of the service's own certificate, in Unix milliseconds. */
export interface Validity {
  from: number
  until: number
}

export function validityOf({ chain: [own] }: KeyPair): Validity {
  return { from: own.validFromDate.getTime(), until: own.validToDate.getTime() }
}

export function daysLeft({ until }: Validity, now: number): number {
  return Math.floor((until - now) / DAY_MS)
}

/** `soon`: its renewal is overdue. */
export function stateOf({ from, until }: Validity, now: number): 'future' | 'valid' | 'soon' | 'expired' {
  if (now >= until) return 'expired'
  if (now < from) return 'future'
  return until - now < Math.min(SOON_DAYS * DAY_MS, (until - from) * SOON_SHARE) ? 'soon' : 'valid'
}

/** The problem with the dates of a certificate, as the end of a sentence; undefined if there is none. */
export function dateProblem(validity: Validity, now: number): string | undefined {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  switch (stateOf(validity, now)) {
    case 'expired':
      return `expired on ${day(validity.until)}`
    case 'future':
      return `is not valid before ${new Date(validity.from).toISOString()}`
    case 'soon':
      return `expires on ${day(validity.until)}, ${inDays(daysLeft(validity, now))}, and has not been renewed`
    case 'valid':
      return undefined
  }
}

function inDays(days: number): string {
  if (days === 0) return 'within a day'
  return days === 1 ? 'in 1 day' : `in ${days} days`
}

/** Whether a certificate covers this host of a URL. */
export function isForHost({ chain: [own] }: KeyPair, hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return (isIP(host) ? own.checkIP(host) : own.checkHost(host)) !== undefined
}

/** The host names and addresses that a certificate covers, as a list for people. */
export function namesOf({ chain: [own] }: KeyPair): string {
  const names = own.subjectAltName?.split(', ').map(name => name.replace(/^(DNS|IP Address):/, '')) ?? []
  return names.length > 0 ? names.join(', ') : 'no host name'
}
