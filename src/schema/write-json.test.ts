import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, id, nullable, object, text, time } from './fields.ts'
import { Type } from './type.ts'
import { writeJson } from './write-json.ts'

const Schema = object('An object.', {
  id: id('Its id.'),
  name: nullable(text('Its name.')),
  at: time('A time.'),
  endedAt: nullable(time('Another time.')),
  calls: Type.Optional(count('May be absent.')),
  parts: Type.Array(object('A part.', { at: nullable(time('A time.')) })),
})

test('an object is written in the order of its schema; times become texts, and what is undefined becomes null', () => {
  const written = writeJson(Schema, {
    parts: [{ at: 0 }, { at: undefined }],
    at: 1,
    name: undefined,
    id: 7n,
    endedAt: 2,
  })
  assert.deepEqual(Object.entries(written), [
    ['id', 7n],
    ['name', null],
    ['at', '1970-01-01T00:00:00.001Z'],
    ['endedAt', '1970-01-01T00:00:00.002Z'],
    ['parts', [{ at: '1970-01-01T00:00:00.000Z' }, { at: null }]],
  ])
})

test('a member that may be absent is left out while it is undefined', () => {
  const others = { id: 1n, name: 'a', at: 0, endedAt: undefined, parts: [] }
  assert.equal(writeJson(Schema, { ...others, calls: 3 }).calls, 3)
  assert.ok(!('calls' in writeJson(Schema, { ...others, calls: undefined })))
})

test('an object that lacks a member of the schema, or has another one, does not compile', () => {
  const Named = object('An object.', { name: text('Its name.') })
  // @ts-expect-error
  assert.deepEqual(writeJson(Named, {}), { name: undefined })
  // @ts-expect-error
  assert.deepEqual(writeJson(Named, { name: 'a', colour: 'red' }), { name: 'a' })
})
