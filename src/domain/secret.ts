import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Deployment } from './deployment.ts'
import { invalid } from './errors.ts'

/** A secret, such as an API key: a prefix that shows its purpose, a random part, and a checksum of both. */

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 digits carry 178 random bits. */
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6

export function generateSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const unchecked = prefix + random
  return unchecked + checksum(unchecked)
}

/** Whether a text can be such a secret. The checksum catches typos without a lookup; it proves nothing else. */
export function isWellFormedSecret(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))
}

/** The secrets of one kind. Those of production and staging differ in their prefixes. @param start of both prefixes */
export function secretsOf(start: string) {
  const prefixOf = (deployment: Deployment) => `${start}${deployment === 'production' ? 'live' : 'test'}_`
  return {
    generate: (deployment: Deployment) => generateSecret(prefixOf(deployment)),
    isWellFormed: (text: string, deployment: Deployment) => isWellFormedSecret(text, prefixOf(deployment)),
  }
}

/** What the store keeps of a secret: its SHA-256, in hexadecimal. A secret this random needs no salt. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** The last characters, which help people recognize a secret. */
export function hintOf(secret: string): string {
  return secret.slice(-4)
}

/** CRC-32 in six base62 digits. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}

export const SECRET_STATES = ['active', 'expired', 'revoked'] as const

export type SecretState = (typeof SECRET_STATES)[number]

export function secretState(
  { expiresAt, revokedAt }: { expiresAt: number | undefined; revokedAt: number | undefined },
  now: number,
): SecretState {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active'
}

/**
 * @param what the subject of the message, such as "A key"
 * @throws UserError if it would already have expired
 */
export function checkExpiry(expiresAt: number | undefined, now: number, what: string): void {
  if (expiresAt !== undefined && expiresAt <= now) throw invalid(`${what} must expire in the future.`, 'expiresAt')
}
