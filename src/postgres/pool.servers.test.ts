import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres } from '../../test/support/servers/postgres.ts'
import { Pool } from './pool.ts'

const CALL_MS = 1_500
const OPTIONS = { connections: 3, connectMs: 1_000, statementMs: 10_000, callMs: CALL_MS }

test('calls of a process that is blocked for longer than they may take are carried out', async t => {
  const pool = await openPool(t)
  if (!pool) return
  await pool.query('CREATE TABLE answer (number int)')
  const calls = [
    ...Array.from({ length: 10 }, (_, number) => pool.read<{ number: number }>('SELECT ?::int AS number', [number])),
    pool.transaction(ask => ask<{ number: number }>('INSERT INTO answer VALUES (10) RETURNING number')),
  ]
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CALL_MS + 500)
  const rows = (await Promise.all(calls)).flat()
  assert.deepEqual(
    rows.map(({ number }) => number),
    Array.from({ length: 11 }, (_, number) => number),
  )
})

async function openPool(t: TestContext): Promise<Pool | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, drop } = await makeDatabase()
  t.after(drop)
  const pool = new Pool(url, OPTIONS)
  t.after(() => pool.close())
  return pool
}
