import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOnDisk } from '../../test/support/folder.ts'
import { isInMemory, temporaryFolder } from './temporary-folder.ts'

const MEMORY = '/dev/shm'
const isLinux = process.platform === 'linux'

test('temporary files go to TMPDIR or, without it, to the first usable folder that is not in memory', {
  skip: !isLinux,
}, async t => {
  const parent = await folderOnDisk(t)
  const folderAt = (name: string) => {
    mkdirSync(join(parent, name))
    return join(parent, name)
  }
  const [disk, store] = [folderAt('disk'), folderAt('store')]
  const file = join(parent, 'file')
  writeFileSync(file, '')
  const missing = join(parent, 'missing')
  const chosen = (shared: string, databaseUrl?: string) =>
    temporaryFolder({ dataFolder: store, databaseUrl }, {}, [shared, MEMORY])
  assert.equal(chosen(disk), disk)
  for (const unusable of [missing, file, MEMORY]) assert.equal(chosen(unusable), store, unusable)
  assert.equal(chosen(missing, 'postgres://db/petstore'), MEMORY, 'no folder of a store, and no other one')
  assert.equal(temporaryFolder({ dataFolder: store, databaseUrl: undefined }, { TMPDIR: MEMORY }), MEMORY)
  assert.deepEqual([MEMORY, disk].map(isInMemory), [true, false])
})
