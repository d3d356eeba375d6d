import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { repeat } from './repeat.ts'

test('work that fails is reported and repeated, whether it throws immediately or later', async () => {
  const failures: unknown[] = []
  const works = [
    () => {
      throw new Error('at once')
    },
    async () => {
      throw new Error('later')
    },
  ]
  const stops = works.map(work => repeat(1, work, error => failures.push((error as Error).message)))
  await eventually(() => {
    for (const message of ['at once', 'later']) assert.ok(failures.filter(failure => failure === message).length > 2)
  })
  for (const stop of stops) await stop()
})
