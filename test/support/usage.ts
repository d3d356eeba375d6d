import type { KeyUsage } from '../../src/domain/usage.ts'

/** Calls of key 1 of account 1, as they are told. */
export function usageOf(told: Partial<KeyUsage> & Pick<KeyUsage, 'day'>): KeyUsage {
  return {
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
    lastAt: told.day * 86_400_000,
    ...told,
  }
}
