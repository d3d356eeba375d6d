import assert from 'node:assert/strict'
import { test } from 'node:test'
import { named, text } from '../fields.ts'
import { Type } from '../type.ts'
import { Schemas } from './components.ts'

const Colour = Type.Named('Colour', Type.Enum(['red', 'blue'], { description: 'A colour.' }))
const Shop = named('Shop', 'A shop.', { colour: Colour })

test('a named schema is described once, and referred to where it is used; a copy adds what differs', () => {
  const schemas = new Schemas()
  assert.deepEqual(schemas.describe(Shop), { $ref: '#/components/schemas/Shop' })
  assert.deepEqual(schemas.describe({ ...Colour, description: 'Of the roof.' }), {
    $ref: '#/components/schemas/Colour',
    description: 'Of the roof.',
  })
  assert.deepEqual(Object.keys(schemas.named), ['Shop', 'Colour'])
  assert.deepEqual(schemas.named.Colour, { type: 'string', enum: ['red', 'blue'], description: 'A colour.' })
})

test('a document has the schemas that its schemas use, and no others', () => {
  const schemas = new Schemas([Shop])
  assert.deepEqual(Object.keys(schemas.named), ['Shop', 'Colour'])
  assert.deepEqual(Object.keys(new Schemas([Colour]).named), ['Colour'])
})

test('two schemas of one name are an error', () => {
  const schemas = new Schemas([Shop])
  assert.throws(() => schemas.describe(named('Shop', 'A shop.', { colour: text('Its colour.') })), /named "Shop"/)
})
