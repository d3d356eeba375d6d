import type { Deployment } from './deployment.ts'
import { generateSecret, isWellFormedSecret } from './secret.ts'

/** An API key as the store keeps it: only the SHA-256 of the key itself. Times are Unix milliseconds. */
export interface ApiKey {
  id: bigint
  accountId: bigint
  accountName: string
  name: string | undefined
  /** The last characters of the key, by which people recognize it. */
  hint: string
  createdAt: number
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** When it last called, as far back as usage is kept. */
  lastUsedAt: number | undefined
  /** The key that it was rotated to. */
  replacedBy: bigint | undefined
}

const PREFIXES: Record<Deployment, string> = { production: 'petstore_live_', staging: 'petstore_test_' }

export function generateKey(deployment: Deployment): string {
  return generateSecret(PREFIXES[deployment])
}

/** Whether a text can be a key of this deployment. */
export function isWellFormedKey(text: string, deployment: Deployment): boolean {
  return isWellFormedSecret(text, PREFIXES[deployment])
}
