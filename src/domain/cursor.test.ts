import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../test/support/text.ts'
import { formatCursor, type Position, parseCursor } from './cursor.ts'
import { INT64_MAX } from './int64.ts'
import { PET_STATUSES } from './pet.ts'

const SECRET = randomBytes(32)
const positions: fc.Arbitrary<Position> = fc
  .tuple(fc.constantFrom(undefined, ...PET_STATUSES), fc.bigInt({ min: 0n, max: INT64_MAX }))
  .map(([status, afterId]) => ({ status, afterId }))

test('a cursor is read as the position it was made from', () => {
  fc.assert(
    fc.property(positions, position => {
      assert.deepEqual(parseCursor(formatCursor(position, SECRET), SECRET), position)
    }),
  )
  for (const afterId of [0n, 1n, INT64_MAX]) {
    assert.equal(parseCursor(formatCursor({ status: 'sold', afterId }, SECRET), SECRET)?.afterId, afterId)
  }
})

test('a cursor stays valid with every later version', () => {
  const secret = Uint8Array.from({ length: 32 }, (_, index) => index)
  const position: Position = { status: 'pending', afterId: 4_711n }
  assert.equal(formatCursor(position, secret), 'AQIAAAAAAAASZ1KfIkZICGxVHNVOIyLkUfk')
  assert.deepEqual(parseCursor('AQIAAAAAAAASZ1KfIkZICGxVHNVOIyLkUfk', secret), position)
})

test('a cursor needs no escaping in a URL', () => {
  fc.assert(fc.property(positions, position => /^[A-Za-z0-9_-]+$/.test(formatCursor(position, SECRET))))
})

test('a cursor of another store is refused', () => {
  fc.assert(
    fc.property(positions, fc.uint8Array({ minLength: 32, maxLength: 32 }), (position, otherSecret) => {
      assert.equal(parseCursor(formatCursor(position, otherSecret), SECRET), undefined)
    }),
  )
})

test('a cursor with any character changed is refused', () => {
  const cursor = formatCursor({ status: 'pending', afterId: 4_711n }, SECRET)
  for (let position = 0; position < cursor.length; position += 1) {
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. é') {
      if (character === cursor.charAt(position)) continue
      const forged = cursor.slice(0, position) + character + cursor.slice(position + 1)
      assert.equal(parseCursor(forged, SECRET), undefined, forged)
    }
  }
})

test('a cursor has one spelling: padding, other alphabets, white space and additions are refused', () => {
  fc.assert(
    fc.property(positions, position => {
      const cursor = formatCursor(position, SECRET)
      const spellings = [`${cursor}=`, `${cursor}==`, ` ${cursor}`, `${cursor}\n`, `${cursor}A`, cursor.slice(0, -1)]
      spellings.push(`.${cursor}`, `${cursor.slice(0, 5)} ${cursor.slice(5)}`, cursor + cursor)
      const standard = cursor.replaceAll('-', '+').replaceAll('_', '/')
      if (standard !== cursor) spellings.push(standard)
      for (const text of spellings) assert.equal(parseCursor(text, SECRET), undefined, JSON.stringify(text))
    }),
  )
})

test('random texts are not cursors', () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map(some => Buffer.from(some).toString('base64url'))
  fc.assert(
    fc.property(fc.oneof(anyText(), bytes), text => {
      assert.equal(parseCursor(text, SECRET), undefined)
    }),
  )
})
