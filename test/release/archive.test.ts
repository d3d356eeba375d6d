import assert from 'node:assert/strict'
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { unpackTar } from 'modern-tar'
import { pack } from '../../release/archive.ts'
import { temporaryFolder } from '../support/folder.ts'

const TIME = new Date('2026-11-22T10:00:00Z')

test('an archive has every file with its permissions, and no trace of the machine that packed it', async t => {
  const folder = await makeFolder(t, '2020-01-01', 0o640)
  const files = await unpackTar(gunzipSync(await pack(folder, 'petstore-1.2.3', 'tar.gz', TIME)))
  assert.deepEqual(
    files.map(({ header: { name, mode, uid, gid, uname, mtime } }) => ({ name, mode, uid, gid, uname, mtime })),
    [
      ['petstore-1.2.3/a/z.txt', 0o644],
      ['petstore-1.2.3/b.txt', 0o644],
      ['petstore-1.2.3/run', 0o755],
    ].map(([name, mode]) => ({ name, mode, uid: 0, gid: 0, uname: 'root', mtime: TIME })),
  )
  assert.deepEqual(
    files.map(({ data }) => new TextDecoder().decode(data)),
    ['z', 'b', '#!/bin/sh'],
  )
})

test('a zip has the same files, and the time in UTC', async t => {
  const zip = await pack(await makeFolder(t, '2020-01-01', 0o640), 'petstore-1.2.3', 'zip', TIME)
  assert.deepEqual(Object.keys(unzipSync(zip)), [
    'petstore-1.2.3/a/z.txt',
    'petstore-1.2.3/b.txt',
    'petstore-1.2.3/run',
  ])
  const header = new DataView(zip.buffer, zip.byteOffset)
  assert.equal(header.getUint16(10, true), 10 << 11, 'ten o’clock')
  assert.equal(header.getUint16(12, true), ((2026 - 1980) << 9) | (11 << 5) | 22)
})

test('the same files give the same archive, whenever and by whomever they were written', async t => {
  const [one, other] = [await makeFolder(t, '2020-01-01', 0o640), await makeFolder(t, '2026-02-02', 0o664)]
  for (const type of ['tar.gz', 'zip'] as const) {
    const [first, second] = [await pack(one, 'x', type, TIME), await pack(other, 'x', type, TIME)]
    assert.ok(Buffer.from(first).equals(second), type)
  }
})

async function makeFolder(t: { after(end: () => unknown): void }, date: string, mode: number): Promise<string> {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'a'))
  for (const [name, content] of Object.entries({ 'b.txt': 'b', 'a/z.txt': 'z', run: '#!/bin/sh' })) {
    const file = join(folder, name)
    await writeFile(file, content)
    await chmod(file, name === 'run' ? mode | 0o100 : mode)
    await utimes(file, new Date(date), new Date(date))
  }
  return folder
}
