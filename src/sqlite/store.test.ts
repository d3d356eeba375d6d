import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../domain/store.contract.ts'
import { SqliteStore } from './store.ts'

storeContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-store-'))
  let store = await SqliteStore.open(folder, 'production')
  return {
    store,
    async reopen() {
      await store.close()
      store = await SqliteStore.open(folder, 'production')
      return store
    },
    async close() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
})
