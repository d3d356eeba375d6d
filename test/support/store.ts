import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/domain/store.ts'
import { SqliteStore } from '../../src/sqlite/store.ts'

/** A real store in its own folder, removed after the test. It has no threads, which would take several times as long as most of the tests. */
export async function openStore(t: TestContext): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-domain-'))
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return store
}
