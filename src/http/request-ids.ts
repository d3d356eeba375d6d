import { randomBytes } from 'node:crypto'

/** Ids that are made at once cost less: they are parts of one flat text, instead of each being put together from its bytes. */
const AT_ONCE = 128
/** A UUID of version 4 (RFC 9562, section 5.4). */
const LENGTH = 36
/** Where its characters are not random. */
const FIXED = Object.entries({ 8: '-', 13: '-', 14: '4', 18: '-', 19: '8', 23: '-' }).map(([index, character]) => ({
  index: Number(index),
  code: character.charCodeAt(0),
}))

let ids = ''
let used = 0

/** An id for a call that brings none. */
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
