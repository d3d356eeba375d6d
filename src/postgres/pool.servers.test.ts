import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres } from '../../test/support/servers/postgres.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { type Ask, Pool } from './pool.ts'

const CALL_MS = 1_500
const OPTIONS = { connections: 3, connectMs: 1_000, statementMs: 10_000, callMs: CALL_MS }

test('calls of a process that is blocked for longer than they may take are carried out', async t => {
  const pool = await openPool(t)
  if (!pool) return
  t.after(() => pool.close())
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

test('a pool that is closed waits for a call, but not for work that may take longer', async t => {
  const pool = await openPool(t)
  if (!pool) return
  const started = Promise.withResolvers<void>()
  const work = async (ask: Ask) => {
    await ask('SELECT 1')
    started.resolve()
    return ask('SELECT pg_sleep(6)')
  }
  const long = pool.transaction(work, '', 60_000)
  const short = pool.transaction(ask => ask<{ number: number }>('SELECT 7 AS number FROM pg_sleep(0.5)'))
  await started.promise
  const refused = assert.rejects(long, StoreUnavailable)
  await pool.close()
  assert.deepEqual(await short, [{ number: 7 }])
  await refused
})

async function openPool(t: TestContext): Promise<Pool | undefined> {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, drop } = await makeDatabase()
  t.after(drop)
  return new Pool(url, OPTIONS)
}
