import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Deployment } from './deployment.ts'

/** An API key as the store keeps it: never the key, only its SHA-256. Times are Unix milliseconds. */
export interface ApiKey {
  id: bigint
  accountId: bigint
  accountName: string
  name: string | undefined
  /** The key's last characters, for a person to tell keys apart. */
  hint: string
  createdAt: number
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** The key that it was rotated to. */
  replacedBy: bigint | undefined
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 digits carry 178 random bits. */
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const PREFIXES: Record<Deployment, string> = { production: 'petstore_live_', staging: 'petstore_test_' }

/** A new key: the deployment's prefix, the random part, and a checksum over both. */
export function generateKey(deployment: Deployment): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const unchecked = PREFIXES[deployment] + secret
  return unchecked + checksum(unchecked)
}

/** Whether a text can be a key of this deployment at all. Needs no look-up, so that guesses cost the store nothing. */
export function isWellFormedKey(text: string, deployment: Deployment): boolean {
  const prefix = PREFIXES[deployment]
  if (text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))
}

/** What the store keeps of a key: its SHA-256, in hexadecimal. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

export function hintOf(key: string): string {
  return key.slice(-4)
}

/** CRC-32 in six base62 digits: it proves the typing, not the authenticity. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits
    rest = Math.floor(rest / BASE62.length)
  }
  return digits
}
