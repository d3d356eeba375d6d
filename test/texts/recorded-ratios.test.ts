import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figure } from '../../bench/figure.ts'
import { losses } from '../../bench/recorded-ratios.ts'

const recorded = { 'list: share of bare': 0.8, 'get: Petstore ÷ best peer': 1.2 }

test('a ratio that is more than a tenth below the recorded one is a loss', () => {
  const lost = losses([figure('list: share of bare', 'ratio', [0.7, 0.71, 0.75])], recorded)
  assert.deepEqual(lost, ['list: share of bare fell from 0.800 to 0.710.'])
})

test('a smaller difference, a gain, a new ratio and a number with a unit are not a loss', () => {
  const figures = [
    figure('list: share of bare', 'ratio', [0.73]),
    figure('get: Petstore ÷ best peer (Hono)', 'ratio', [2]),
    figure('create: share of bare', 'ratio', [0.1]),
    figure('list: share of bare', 'calls/s', [0.1]),
  ]
  assert.deepEqual(losses(figures, recorded), [])
})

test('it does not matter which peer was the best', () => {
  assert.equal(losses([figure('get: Petstore ÷ best peer (Elysia)', 'ratio', [1])], recorded).length, 1)
})

test('a ratio in doubt proves nothing', () => {
  const doubtful = { ...figure('list: share of bare', 'ratio', [0.1]), doubt: 'VOID' }
  assert.deepEqual(losses([doubtful], recorded), [])
})

test('on a processor without recorded ratios, nothing can be compared', () => {
  const lost = losses([figure('list: share of bare', 'ratio', [0.9])], undefined)
  assert.equal(lost.length, 1)
  assert.match(lost[0] ?? '', /^No ratios are recorded for this processor \(.+\)\. Record a run with --record\.$/)
})
