import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { newestPostgres, noNewestPostgres } from '../../test/support/servers/newest-postgres.ts'
import { makeDatabase, query, startPostgres } from '../../test/support/servers/postgres.ts'
import { openForContract, openTransfer } from '../../test/support/servers/postgres-stores.ts'
import { petTransferContract } from '../domain/pet-transfer.contract.ts'
import { storeContract } from '../domain/store.contract.ts'

// Elsewhere, the tests use the PostgreSQL of this machine, which may be several years older.

if (noNewestPostgres) {
  test('the newest PostgreSQL: the contract of the store', t => void skip(t, noNewestPostgres ?? ''))
} else {
  const server = await startPostgres([], undefined, newestPostgres)
  after(() => server.close())
  const make = () => makeDatabase(server.url)

  test('it is PostgreSQL 18 or later', async () => {
    const [row] = await query(server.url, "SELECT current_setting('server_version_num')::int AS version")
    assert.ok((row?.version as number) >= 180_000, String(row?.version))
  })
  storeContract('the newest PostgreSQL', () => openForContract(make))
  petTransferContract('the newest PostgreSQL', () => openTransfer(make))
}
