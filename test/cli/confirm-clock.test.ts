import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTime, makeStore } from '../support/command-line.ts'

test('the clock is confirmed by a command, which is in the audit log', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const before = Date.now()
  assert.match(await store.text('confirm-clock'), /^The clock is confirmed: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n$/)
  const { confirmedAt } = await store.json('confirm-clock', '--yes')
  assertTime(confirmedAt, before)
  const entries = await store.json('audit', '--action', 'store.confirm-clock')
  assert.equal(entries.length, 2)
})
