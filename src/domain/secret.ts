import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A secret that its holder sends as it is: a prefix that tells what it is for, a random part, and a checksum over both. */

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 digits carry 178 random bits. */
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6

export function generateSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('')
  const unchecked = prefix + random
  return unchecked + checksum(unchecked)
}

/** Whether a text can be such a secret at all: the checksum finds typing errors before anything is looked up. Anyone can compute it. */
export function isWellFormedSecret(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))
}

/** What the store keeps of a secret: its SHA-256, in hexadecimal. So random a text needs no salt. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** The last characters, for a person to tell secrets apart. */
export function hintOf(secret: string): string {
  return secret.slice(-4)
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

/** Whether a text bears what must be written nowhere: a key or a token, or most of one. */
export function bearsSecret(text: string): boolean {
  return /petstore_(?:(?:operator_)?(?:live|test)|session|csrf)_[\w-]{8}/.test(text)
}
