import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Places } from './places.ts'

test('those who wait for a place get it in turn, as soon as one is given back', async () => {
  const places = new Places(1)
  const first = await places.take()
  const taken: Disposable[] = []
  for (let waiting = 0; waiting < 2; waiting += 1) places.take().then(place => taken.push(place))
  for (const place of [first, first]) place[Symbol.dispose]()
  await setImmediate()
  assert.equal(taken.length, 1, 'a place is given back once')
  taken[0]?.[Symbol.dispose]()
  await setImmediate()
  assert.equal(taken.length, 2)
})

test('those who no longer wait take no place, and keep none from those behind them', async () => {
  const places = new Places(1)
  const first = await places.take()
  const leaving = new AbortController()
  const left = places.take(leaving.signal)
  let isNext = false
  places.take().then(() => {
    isNext = true
  })
  leaving.abort(new Error('It has left.'))
  for (const one of [left, new Places(1).take(leaving.signal)]) await assert.rejects(one, { message: 'It has left.' })
  first[Symbol.dispose]()
  await setImmediate()
  assert.ok(isNext)
})
