import { randomBytes } from 'node:crypto'

/** Creating ids in batches is cheaper: they are slices of one flat string, instead of each being assembled from bytes. */
const AT_ONCE = 128
/** A UUID of version 4 (RFC 9562, section 5.4). */
const LENGTH = 36
/** The positions of its fixed characters. */
const FIXED = Object.entries({ 8: '-', 13: '-', 14: '4', 18: '-', 19: '8', 23: '-' }).map(([index, character]) => ({
  index: Number(index),
  code: character.charCodeAt(0),
}))

let ids = ''
let used = 0

/** Returns an id for a call without one. */
export function newRequestId(): string {
  if (used === ids.length) {
    ids = makeIds()
    used = 0
  }
  const start = used
  used += LENGTH
  return ids.slice(start, used)
}

function makeIds(): string {
  const characters = Buffer.from(randomBytes((AT_ONCE * LENGTH) / 2).toString('hex'), 'latin1')
  for (let start = 0; start < characters.length; start += LENGTH) {
    for (const { index, code } of FIXED) characters[start + index] = code
  }
  return characters.toString('latin1')
}
