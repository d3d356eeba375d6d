import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, isInt64, parseInt64 } from './int64.ts'

test('an int64 is read from its plain decimal form', () => {
  fc.assert(fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), value => parseInt64(String(value)) === value))
  for (const text of ['0', '1', '-1', '9223372036854775807', '-9223372036854775808']) {
    assert.equal(String(parseInt64(text)), text)
  }
})

test('an integer that does not fit into an int64 is refused', () => {
  const beyond = fc.oneof(fc.bigInt({ min: INT64_MAX + 1n }), fc.bigInt({ max: INT64_MIN - 1n }))
  fc.assert(
    fc.property(beyond, value => {
      assert.equal(parseInt64(String(value)), undefined)
      assert.equal(isInt64(value), false)
    }),
  )
  assert.equal(parseInt64('9223372036854775808'), undefined)
  assert.equal(parseInt64('-9223372036854775809'), undefined)
  assert.ok(isInt64(INT64_MIN) && isInt64(INT64_MAX))
})

test('an int64 has only one spelling', () => {
  const others = ['', '-', '+1', '-0', '00', '01', '-01', ' 1', '1 ', '1\n', '1.0', '1e3', '0x10', '0b1', '1_000', '1n']
  for (const text of [...others, '١', '１', 'NaN', 'Infinity', '9'.repeat(100_000)]) {
    assert.equal(parseInt64(text), undefined, JSON.stringify(text.slice(0, 30)))
  }
  fc.assert(
    fc.property(fc.string(), text => {
      const value = parseInt64(text)
      assert.ok(value === undefined || String(value) === text)
    }),
  )
})
