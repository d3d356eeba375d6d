import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { PET_STATUSES, type PetStatus } from './pet.ts'

/** Where a page begins: after the animal with id `afterId`, within one filter. */
export interface Position {
  status: PetStatus | undefined
  afterId: bigint
}

const FORMAT = 1
const PAYLOAD_BYTES = 10
const SIGNATURE_BYTES = 16

/** Formats a position as an opaque, signed text that clients cannot forge. */
export function formatCursor({ status, afterId }: Position, secret: Uint8Array): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload.writeUInt8(FORMAT, 0)
  payload.writeUInt8(status ? PET_STATUSES.indexOf(status) + 1 : 0, 1)
  payload.writeBigInt64BE(afterId, 2)
  return Buffer.concat([payload, sign(payload, secret)]).toString('base64url')
}

/** Parses a cursor; undefined if it was not signed with this secret. */
export function parseCursor(text: string, secret: Uint8Array): Position | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips characters that are not base64url, so many texts decode to the same bytes; only the exact spelling counts.
  if (bytes.length !== PAYLOAD_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== text) return undefined
  const payload = bytes.subarray(0, PAYLOAD_BYTES)
  if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), sign(payload, secret))) return undefined
  const filter = payload.readUInt8(1)
  return { status: filter === 0 ? undefined : PET_STATUSES[filter - 1], afterId: payload.readBigInt64BE(2) }
}

/** Creating a key takes as long as signing with it. */
const keys = new WeakMap<Uint8Array, KeyObject>()

function sign(payload: Uint8Array, secret: Uint8Array): Buffer {
  const key = keys.getOrInsertComputed(secret, () => createSecretKey(secret))
  // As a text, because a digest as a buffer takes twice as long: Node does not take its memory from a pool.
  const digest = createHmac('sha256', key).update(payload).digest('latin1')
  return Buffer.from(digest.slice(0, SIGNATURE_BYTES), 'latin1')
}
