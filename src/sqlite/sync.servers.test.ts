import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { environment, PROGRAM } from '../../test/support/command-line.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { needs } from '../../test/support/servers/needs.ts'
import { databaseFile } from './data-folder/store-files.ts'
import { SqliteStore } from './store.ts'

// Only the order of system calls shows what a crash of the machine would lose.

/**
 * The log must be synced between the request and the response of each creation. Node's SQLite does so by default, and does not with
 * `synchronous = NORMAL`.
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
  const events = (await trace(folder, 'write,fsync,fdatasync', ['--eval', script])).flatMap(line => {
    if (/\bf(data)?sync\b.*= 0$/.test(line)) return ['synced']
    return /write\(1<.*>, "(asked|answered)/.exec(line)?.[1] ?? []
  })
  const creations = events.join(' ').match(/asked( synced)* answered/g) ?? []
  assert.equal(creations.length, 20)
  for (const creation of creations) assert.match(creation, /synced/)
})

const SYNC_AND_NAME = 'fsync,link,linkat,rename,renameat,renameat2,unlink,unlinkat'

test('a file is on disk before it gets its name, and the name before the command ends', async t => {
  if (!needs(t, 'strace')) return
  const folder = await temporaryFolder(t)
  const [data, backup, pets] = [join(folder, 'data'), join(folder, 'backup.db'), join(folder, 'pets.csv')]
  for (const [file, ...command] of [
    [databaseFile(data), 'account', 'create', 'acme', '--plan', 'free'],
    [`${databaseFile(data)}.known`, 'account', 'create', 'other', '--plan', 'free'],
    [backup, 'backup', backup],
    [databaseFile(data), 'restore', backup, '--force'],
    [pets, 'pet', 'export', pets],
    [pets, 'pet', 'export', pets, '--force'],
  ] as const) {
    const lines = await trace(folder, SYNC_AND_NAME, [PROGRAM, ...command], {
      PETSTORE_DATA: data,
    })
    const ofFolder = lines.filter(line => line.includes(folder))
    const events = ofFolder.map(line => ({
      synced: /\bfsync\(\d+<(.+)>\) += 0$/.exec(line)?.[1],
      names: [...line.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
    }))
    const named = events.findLastIndex(({ names }) => names[1] === file)
    const [part] = events[named]?.names ?? []
    assert.ok(part, `${command[0]}: ${file} got its name in one step`)
    assert.ok(
      events.slice(0, named).some(({ synced }) => synced === part),
      `${command[0]}: the file`,
    )
    assert.equal(events[named + 1]?.synced, dirname(file), `${command[0]}: its name`)
    if (command[0] !== 'restore') continue
    const forgotten = events.findIndex(({ names }) => names[0] === `${databaseFile(data)}.known`)
    assert.ok(forgotten >= 0 && forgotten < named)
    assert.equal(events[forgotten + 1]?.synced, data, 'the last store of the folder is forgotten')
  }
})

test('the doctor waits until what it writes to try the disk is there', async t => {
  if (!needs(t, 'strace')) return
  const folder = await temporaryFolder(t)
  await (await SqliteStore.open(folder, 'production')).close()
  const lines = await trace(folder, 'fsync', [PROGRAM, 'doctor'], { PETSTORE_DATA: folder })
  assert.ok(lines.some(line => line.includes(`<${join(folder, '.probe')}.`)))
})

/** Runs a program of Node, and returns the lines of strace about some system calls, in which open files have their paths. */
async function trace(folder: string, calls: string, args: readonly string[], env: Record<string, string> = {}) {
  const output = join(folder, 'trace')
  const options = ['-f', '-y', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', output]
  await promisify(execFile)('strace', [...options, process.execPath, ...args], { env: environment(env) })
  return (await readFile(output, 'utf8')).split('\n')
}
