import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { assemble } from './assemble.ts'
import { readChanges, writeChanges } from './changes-file.ts'

const AT = Date.UTC(2027, 2, 1)
const PAGE_BYTES = 4_096
const PAGES = 300
/** How much the system reads and writes per call, although more is requested. */
const SHORT_BYTES = 1_000

const IMAGES = Array.from({ length: PAGES }, (_, index) => ({
  page: index + 1,
  image: Buffer.alloc(PAGE_BYTES, index),
}))

test('a file is read to its end even if the system returns less than requested', async t => {
  const file = join(await temporaryFolder(t), 'changes')
  const { sha256 } = writeChanges(file, { pageSize: PAGE_BYTES, pageCount: PAGES }, IMAGES)
  await readShort(t, file)
  const read: number[] = []
  await readChanges(file, sha256, ({ page, image }) => {
    assert.deepEqual(Buffer.from(image), IMAGES[page - 1]?.image)
    read.push(page)
  })
  assert.deepEqual(
    read,
    IMAGES.map(({ page }) => page),
  )
})

test('pages are written completely even if the system accepts less than it is given', async t => {
  const folder = await temporaryFolder(t)
  const changes = join(folder, 'changes')
  writeShort(t)
  const { sha256 } = writeChanges(changes, { pageSize: PAGE_BYTES, pageCount: PAGES }, IMAGES)
  const full = join(folder, 'full')
  fs.writeFileSync(full, '')
  const file = { at: AT, path: full, kind: 'full', number: 0, sha256: EMPTY_SHA256 } as const
  const target = join(folder, 'assembled')
  const chain = { store: 'ab'.repeat(16), deployment: 'production', startedAt: AT } as const
  const plan = {
    chain,
    full: file,
    changes: [{ at: AT, path: changes, kind: 'changes', number: 1, sha256 } as const],
    at: AT,
  }
  await assemble(plan, target)
  const assembled = fs.readFileSync(target)
  assert.equal(assembled.length, PAGES * PAGE_BYTES)
  for (const { page, image } of IMAGES.slice(1)) {
    assert.ok(assembled.subarray((page - 1) * PAGE_BYTES, page * PAGE_BYTES).equals(image), `page ${page}`)
  }
})

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

async function readShort(t: TestContext, file: string): Promise<void> {
  await using handle = await open(file, 'r')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  const read = prototype.read as (...args: unknown[]) => unknown
  t.mock.method(prototype, 'read', function (this: FileHandle, ...[buffer, offset, length, position]: unknown[]) {
    return read.call(this, buffer, offset, Math.min(length as number, SHORT_BYTES), position)
  } as never)
}

function writeShort(t: TestContext): void {
  const write = fs.writeSync as (...args: unknown[]) => number
  t.mock.method(fs, 'writeSync', ((
    file: number,
    buffer: Uint8Array,
    offset = 0,
    length = buffer.length - offset,
    position = null,
  ) => write(file, buffer, offset, Math.min(length, SHORT_BYTES), position)) as never)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
}
