import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { StoreDamaged } from './errors.ts'

/** A creation that an operator may repeat: the same request with the same idempotency key creates once. */
export interface RepeatableRequest {
  /** Stands for the operator's token and the client's key, which cannot be computed from it. */
  key: string
  /** Identifies the operation and the body. */
  fingerprint: string
  /** Seals what was created. Derived from the client's key, and never stored. */
  sealingKey: Uint8Array
  /** Members of what is created that the store does not keep, such as a secret that is shown once. */
  unstored?: Readonly<Record<string, unknown>> | undefined
}

/** What the store keeps of a request. */
export interface SealedCreation {
  fingerprint: string
  sealed: string
}

const CIPHER = 'aes-256-gcm'
const HASH_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** @param target the path and the query */
export function repeatableRequest(
  { tokenId, key }: { tokenId: bigint; key: string },
  { method, target, body }: { method: string; target: string; body: Uint8Array },
): RepeatableRequest {
  const derived = hkdfSync('sha256', key, '', `petstore operator ${tokenId}`, 2 * HASH_BYTES)
  return {
    key: Buffer.from(derived, 0, HASH_BYTES).toString('base64url'),
    fingerprint: hash('sha256', Buffer.concat([Buffer.from(`${method} ${target}\n`), body]), 'base64url'),
    sealingKey: new Uint8Array(derived, HASH_BYTES),
  }
}

/** Seals what was created, so that the store can keep a secret that only the sender of the request can read. */
export function seal({ sealingKey, unstored }: RepeatableRequest, created: object): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey, nonce)
  const sealed = Buffer.concat([cipher.update(format({ ...created, ...unstored })), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/**
 * Returns what was created; members that were undefined are absent.
 * @throws StoreDamaged
 */
export function unseal({ sealingKey }: RepeatableRequest, text: string): unknown {
  const bytes = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(CIPHER, sealingKey, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]
    return parse(Buffer.concat(opened).toString())
  } catch (error) {
    throw new StoreDamaged('What an operator created cannot be unsealed.', { cause: error })
  }
}

/** JSON has no bigint: `{"int64":"1"}` stands for 1n. */
function format(created: object): string {
  return JSON.stringify(created, (_, value) => (typeof value === 'bigint' ? { int64: String(value) } : value))
}

function parse(text: string): unknown {
  return JSON.parse(text, (_, value) => (typeof value?.int64 === 'string' ? BigInt(value.int64) : value))
}
