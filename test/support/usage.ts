import { DAY_HOURS, type KeyUsage } from '../../src/domain/usage.ts'

/** Calls of key 1 of account 1, as they are recorded; by default in the first hour of that day. */
export function usageOf({ day, ...told }: Partial<KeyUsage> & { day: number }): KeyUsage {
  return {
    hour: day * DAY_HOURS,
    accountId: 1n,
    keyId: 1n,
    operation: 'listPets',
    admitted: 0,
    refused: 0,
    banned: 0,
    status2xx: 0,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
    lastAt: day * 86_400_000,
    lastFrom: undefined,
    ...told,
  }
}
