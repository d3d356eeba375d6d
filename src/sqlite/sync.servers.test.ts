import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../test/support/folder.ts'
import { needs } from '../../test/support/servers/needs.ts'

/**
 * Only the order of system calls shows what a crash of the machine would lose: the log must be synced between the request and the response of each
 * creation. Node's SQLite does so by default, and does not with `synchronous = NORMAL`.
 */
test('sqlite: a creation is answered after it is on disk', async t => {
  if (!needs(t, 'strace')) return
  const folder = await temporaryFolder(t)
  const script = `
    import { writeSync } from 'node:fs'
    import { SqliteStore } from ${JSON.stringify(new URL('store.ts', import.meta.url))}
    const store = await SqliteStore.open(${JSON.stringify(folder)}, 'production')
    for (let count = 0; count < 20; count += 1) {
      writeSync(1, 'asked\\n')
      await store.createPet({ name: 'Rex', categoryId: 7n, status: 'sold' }, Date.now())
      writeSync(1, 'answered\\n')
    }
    await store.close()`
  const trace = join(folder, 'trace')
  const calls = ['-f', '-e', 'trace=write,fsync,fdatasync', '-e', 'signal=none', '-o', trace]
  await promisify(execFile)('strace', [...calls, process.execPath, '--eval', script])
  const events = (await readFile(trace, 'utf8')).split('\n').flatMap(line => {
    if (/\bf(data)?sync\b.*= 0$/.test(line)) return ['synced']
    return /write\(1, "(asked|answered)/.exec(line)?.[1] ?? []
  })
  const creations = events.join(' ').match(/asked( synced)* answered/g) ?? []
  assert.equal(creations.length, 20)
  for (const creation of creations) assert.match(creation, /synced/)
})
