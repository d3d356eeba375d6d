import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRelative, instantOf } from '../../console/src/lib/time.ts'

test('a time ago is rounded to a unit, and never to a whole unit of the next one', () => {
  const ago = (seconds: number) => formatRelative(new Date(0).toISOString(), seconds * 1_000)
  assert.deepEqual(
    [ago(59.4), ago(59.6), ago(3_599), ago(86_399)],
    ['59 seconds ago', '1 minute ago', '1 hour ago', 'yesterday'],
  )
})

test('a day ends in the zone that is shown; one that is impossible is left to the service', () => {
  assert.equal(instantOf({ after: 'date', date: '2030-12-31', zone: 'utc' }, 0), '2030-12-31T23:59:59.000Z')
  for (const date of ['', '99999-12-31']) assert.equal(instantOf({ after: 'date', date, zone: 'utc' }, 0), date)
})
