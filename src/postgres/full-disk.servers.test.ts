import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skip } from '../../test/support/servers/needs.ts'
import { noPostgres, query, startPostgres } from '../../test/support/servers/postgres.ts'
import { mountOwnDisk } from '../../test/support/servers/private-disk.ts'
import { StoreFull } from '../domain/errors.ts'
import { createAccount, entry, firstPage, NOW, newPet } from '../domain/store-contract/fixtures.contract.ts'
import { openPostgresTransfer } from './pet-transfer.ts'
import { PostgresStore } from './store.ts'

test('while the disk of the database is full, every write says so and writes nothing; then all work again', async t => {
  if (noPostgres) return void skip(t, noPostgres)
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const server = await startPostgres()
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => server.close())
  // The write-ahead log stays on the other disk: without it, the server would stop.
  const folder = join(disk.folder, 'tables')
  mkdirSync(folder)
  const { uid, gid } = statSync(`/proc/${server.pid}`)
  chownSync(folder, uid, gid)
  for (const above of [disk.folder, join(disk.folder, '..')]) chmodSync(above, 0o755)
  await query(server.url, `CREATE TABLESPACE small LOCATION '${folder}'`)
  await query(server.url, 'CREATE DATABASE full_disk TABLESPACE small')
  const url = Object.assign(new URL(server.url), { pathname: '/full_disk' }).href

  const store = await PostgresStore.open(url, 'production')
  cleanup.defer(() => store.close())
  const transfer = await openPostgresTransfer(url, 'production')
  const importOne = async () => {
    const run = await transfer.beginImport()
    await run.stage([{ line: 1, id: undefined, ...newPet() }])
    await run.commit(entry('pet.import'), { skipRefused: false })
  }
  await importOne()

  disk.fill()
  let created = 0
  const createMany = async () => {
    for (;;) {
      await store.createPet(newPet({ name: 'x'.repeat(255) }), NOW)
      created += 1
    }
  }
  await assert.rejects(createMany, StoreFull)
  await assert.rejects(store.check(), StoreFull)
  await assert.rejects(importOne, StoreFull)
  const { pets } = await store.listPets(firstPage)
  assert.equal(pets.length, 1 + created)

  disk.free()
  await importOne()
  await createAccount(store, 'Shop')
})
