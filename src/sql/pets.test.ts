import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreDamaged } from '../domain/errors.ts'
import { petChecksum, petOf } from './pets.ts'

const REX = { id: 7n, name: 'Rex', category_id: -3n, status: 'sold' }
const CHECKSUM = BigInt(petChecksum({ name: 'Rex', categoryId: -3n, status: 'sold' }))

test('a row is an animal, with a checksum or without', () => {
  const rex = { id: 7n, name: 'Rex', categoryId: -3n, status: 'sold' }
  for (const row of [REX, { ...REX, checksum: null }, { ...REX, checksum: CHECKSUM }]) {
    assert.deepEqual(petOf(row), rex)
  }
})

test('a row that its table does not allow is damage, even without a checksum', () => {
  const damaged: readonly (readonly [column: string, values: readonly unknown[]])[] = [
    ['id', [0n, -7n, 7, '7', null]],
    ['name', ['', 'R\u0000x', 'x'.repeat(256), 7n, null]],
    ['category_id', [3, '3', null]],
    ['status', ['Sold', '', 1n, null]],
  ]
  for (const [column, values] of damaged) {
    for (const value of values) {
      const reason = new StoreDamaged(`The ${column} of an animal cannot be what was stored.`)
      assert.throws(() => petOf({ ...REX, [column]: value }), reason, `${column} ${String(value)}`)
    }
  }
})

test('a row that its checksum does not fit is damage', () => {
  const reason = new StoreDamaged('Animal 7 is not as it was stored.')
  for (const checksum of [CHECKSUM + 1n, -CHECKSUM, String(CHECKSUM), 1.5]) {
    assert.throws(() => petOf({ ...REX, checksum }), reason, String(checksum))
  }
  assert.throws(() => petOf({ ...REX, name: 'Max', checksum: CHECKSUM }), reason)
})
