import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_PETS } from '../../src/cli/demo-pets.ts'
import { areSamples } from '../../src/cli/demo-store.ts'

const SAMPLES = DEMO_PETS.map((pet, index) => ({ ...pet, id: BigInt(index + 1) }))
const [first, ...others] = SAMPLES as [(typeof SAMPLES)[number], ...typeof SAMPLES]

test('the samples are recognised in any status, and whatever follows them', () => {
  const later = { id: BigInt(DEMO_PETS.length + 1), name: 'Rex II', categoryId: -1n, status: 'sold' as const }
  assert.ok(areSamples(SAMPLES))
  for (const status of ['pending', 'sold', 'available'] as const) {
    assert.ok(areSamples([{ ...first, status }, ...others, later]))
  }
})

test('an animal with another name or category is not a sample', () => {
  assert.ok(!areSamples([{ ...first, name: 'Another' }, ...others]))
  assert.ok(!areSamples([{ ...first, categoryId: -1n }, ...others]))
})
