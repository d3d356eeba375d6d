import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HotHistogram, Label } from './hot-metrics.ts'
import { Registry } from './prometheus.ts'

test('a value counts in every bucket whose bound is not below it, in the count and in the sum', async () => {
  const registry = new Registry()
  const histogram = new HotHistogram(registry, 'time', 'Time.', new Label('operation', ['list'], 'other'), [1, 2, 4])
  for (const seconds of [0.5, 1, 1.5, 4, 9]) histogram.observe('list', seconds)
  histogram.observe('unknown', 3)
  const lines = (await registry.metrics()).trim().split('\n')
  assert.deepEqual(lines.slice(2), [
    'time_bucket{operation="list",le="1"} 2',
    'time_bucket{operation="list",le="2"} 3',
    'time_bucket{operation="list",le="4"} 4',
    'time_bucket{operation="list",le="+Inf"} 5',
    'time_sum{operation="list"} 16',
    'time_count{operation="list"} 5',
    'time_bucket{operation="other",le="1"} 0',
    'time_bucket{operation="other",le="2"} 0',
    'time_bucket{operation="other",le="4"} 1',
    'time_bucket{operation="other",le="+Inf"} 1',
    'time_sum{operation="other"} 3',
    'time_count{operation="other"} 1',
  ])
})
