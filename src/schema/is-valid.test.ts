import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { testOf } from './is-valid.ts'
import { type TSchema, Type } from './type.ts'

const ajv = new Ajv2020({ strict: true, validateFormats: true, allowUnionTypes: true })
ajvFormats.default(ajv)

/** Each with a value that it accepts. */
const SCHEMAS: readonly [schema: TSchema, accepted: unknown][] = [
  [Type.String(), ''],
  [Type.String({ minLength: 1, maxLength: 4 }), '🐶🐶🐶🐶'],
  [Type.String({ minLength: 3, pattern: '^[^\\p{Cc}]*$' }), 'Rex'],
  [Type.String({ format: 'date' }), '2028-02-29'],
  [Type.String({ format: 'date-time' }), '2030-01-01T00:00:00Z'],
  [Type.Integer({ minimum: -2, maximum: 3 }), -2],
  [Type.Boolean(), false],
  [Type.Null(), null],
  [Type.Enum(['a', 'b']), 'b'],
  [Type.Union([Type.String({ maxLength: 2 }), Type.Null(), Type.Integer()]), null],
  [Type.Array(Type.Integer(), { minItems: 1, maxItems: 3 }), [1, 2, 3]],
  [Type.Object({}), { c: 1 }],
  [Type.Object({ a: Type.Integer(), b: Type.Optional(Type.String({ minLength: 1 })) }), { a: 1, b: 'x' }],
  [Type.Object({ a: Type.Optional(Type.Null()) }, { additionalProperties: false, minProperties: 1 }), { a: null }],
  [Type.Array(Type.Object({ a: Type.Array(Type.Enum(['x'])) }, { additionalProperties: false })), [{ a: ['x'] }]],
]

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('a', 'b', 'x', '', '🐶🐶🐶🐶', '🐶🐶🐶🐶🐶', 'e\u0301', '\u0000'),
  fc.constantFrom('2030-02-28', '2030-02-29', '2028-02-29', '2030-13-01', '2030-1-1', '20300101'),
  fc.constantFrom('2030-01-01T00:00:00Z', '2030-01-01T24:00:00Z', '2030-02-30T10:00:00+01:00', '2030-01-01T00:00:00'),
)
const leaf = fc.oneof(text, fc.integer({ min: -4, max: 5 }), fc.double(), fc.boolean(), fc.constant(null))
const { value: anything } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('value'), { maxKeys: 3 }),
  ),
}))

for (const [schema, accepted] of SCHEMAS) {
  test(`${JSON.stringify(schema)} accepts what a common validator accepts`, () => {
    const expected = ajv.compile({ ...schema })
    const actual = testOf(schema)
    assert.deepEqual([actual(accepted), expected(accepted)], [true, true])
    fc.assert(
      fc.property(anything, value => {
        // JSON has no infinite numbers.
        const json = JSON.parse(JSON.stringify(value))
        assert.equal(actual(json), expected(json))
      }),
      { numRuns: 500 },
    )
  })
}

test('an int64 is a bigint, not a number', () => {
  const isInt64 = testOf(Type.BigInt())
  assert.deepEqual([1n, 9_223_372_036_854_775_807n, 1, '1', null].map(isInt64), [true, true, false, false, false])
})

test('an unknown keyword is found at the start', () => {
  assert.throws(() => testOf(Type.Array(Type.String(), { uniqueItems: true })), /uniqueItems/)
})
