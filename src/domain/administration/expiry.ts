import { Mistake } from '../errors.ts'

/** @throws Mistake when it would be over already */
export function checkExpiry(expiresAt: number | undefined, now: number, what: string): void {
  if (expiresAt !== undefined && expiresAt <= now) throw new Mistake('invalid', `${what} must expire in the future.`)
}
