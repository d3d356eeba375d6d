import type { CheckFinding } from '../../operator/running-service.ts'

/** What a check finds. It may name another check, such as `clock` for the clock of a database. */
export type Verdict = Omit<CheckFinding, 'check'> & { check?: string }

export function ok(message: string): Verdict {
  return { outcome: 'ok', message }
}

/** @param since Unix milliseconds, if it is known */
export function warn(message: string, since?: number): Verdict {
  return { outcome: 'warn', message, since }
}

export function fail(message: string): Verdict {
  return { outcome: 'fail', message }
}
