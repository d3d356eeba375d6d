import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backend, BackendName } from './backend.ts'
import { openDatabase } from './database.ts'
import { lockWrites } from './write-lock.ts'

/** Makes an empty store of its own for a test. */
export async function makeBackend(name: BackendName): Promise<Backend> {
  if (name === 'embedded') return makeFolder()
  // A test of the embedded store loads no code that starts servers.
  const { makeSchema } = await import('./servers/scaled-backend.ts')
  return makeSchema()
}

async function makeFolder(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  return {
    settings: { dataFolder: folder, databaseUrl: undefined, redisUrls: [] },
    async execute(sql) {
      const database = openDatabase(folder)
      database.exec(sql)
      database.close()
    },
    lockWrites: () => lockWrites(folder),
    async dump() {
      const names = await readdir(folder, { recursive: true })
      const texts = names.map(name => readFile(join(folder, name), 'latin1').catch(() => ''))
      return (await Promise.all(texts)).join('')
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
