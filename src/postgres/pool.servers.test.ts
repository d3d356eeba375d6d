import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { makeDatabase, noPostgres } from '../../test/support/servers/postgres.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { pause } from '../sqlite/pause.ts'
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
  pause(CALL_MS + 500)
  const rows = (await Promise.all(calls)).flat()
  assert.deepEqual(
    rows.map(({ number }) => number),
    Array.from({ length: 11 }, (_, number) => number),
  )
})

test('a connection that responds outlives the waits of its calls', async t => {
  for (const probeMs of [undefined, 2_000]) {
    const pool = await openPool(t, { connections: 1, callMs: 3_000, ...(probeMs && { probeMs }) })
    if (!pool) return
    t.after(() => pool.close())
    const backends = new Set<number>()
    for (const until = performance.now() + 4_000; performance.now() < until; ) {
      const [row] = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid FROM pg_sleep(0.05)')
      backends.add(row?.pid as number)
    }
    assert.equal(backends.size, 1)
  }
})

test('a read that is given up is not repeated', async t => {
  const pool = await openPool(t, { callMs: 500 })
  if (!pool) return
  t.after(() => pool.close())
  await assert.rejects(pool.read('SELECT 1 FROM pg_sleep(3)'), StoreUnavailable)
})

test('a call that is given up in the queue leaves its turn to the next', async t => {
  const pool = await openPool(t, { connections: 1, callMs: 2_000 })
  if (!pool) return
  t.after(() => pool.close())
  const long = pool.transaction(ask => ask('SELECT 1 FROM pg_sleep(5)'), '', 10_000)
  // Only work that may take longer has a connection for so long.
  await assert.rejects(pool.query('SELECT 1'), StoreUnavailable)
  assert.equal((await long).length, 1)
  assert.equal((await pool.query('SELECT 1')).length, 1)
})

test('a pool that is closed waits for a call, but not for work that may take longer', async t => {
  const pool = await openPool(t, { callMs: 3_000 })
  if (!pool) return
  const started = Promise.withResolvers<void>()
  const work = async (ask: Ask) => {
    await ask('SELECT 1')
    started.resolve()
    return ask('SELECT pg_sleep(20)')
  }
  const long = pool.transaction(work, '', 60_000)
  const short = pool.transaction(ask => ask<{ number: number }>('SELECT 7 AS number FROM pg_sleep(0.5)'))
  await started.promise
  const refused = assert.rejects(long, StoreUnavailable)
  await pool.close()
  assert.deepEqual(await short, [{ number: 7 }])
  await refused
})

async function openPool(t: TestContext, options: Partial<typeof OPTIONS & { probeMs: number }> = {}) {
  if (noPostgres) return void skip(t, noPostgres)
  const { url, drop } = await makeDatabase()
  t.after(drop)
  return new Pool(url, { ...OPTIONS, ...options })
}
