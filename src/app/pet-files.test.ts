import assert from 'node:assert/strict'
import { existsSync, fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder as folderOfTest } from '../../test/support/folder.ts'
import { StoreUnavailable, UserError } from '../domain/errors.ts'
import type { Download, ImportOptions } from '../domain/pet-files.ts'
import { prepareDatabase } from '../sqlite/prepare-database.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { parseConfig } from './config.ts'
import { type PetFileBounds, PetFileThreads } from './pet-files.ts'
import { temporaryFolder } from './temporary-folder.ts'

const EXPORT = { filter: {}, format: 'csv', delimiter: 'comma', safeForSpreadsheets: false } as const
const IMPORT: ImportOptions = {
  format: 'csv',
  mode: 'add',
  dryRun: false,
  skipBad: false,
  csv: {},
  name: 'pets.csv',
  actor: { name: 'Anna', origin: 'test' },
}
const HEADER = 'name,categoryId\n'
const MANY = { maxBytes: 1_000_000, maxClients: 100 }
/** Longer than a client has to show its speed. */
const LONG_MS = 10_000
const TOO_SLOW = /need the room of this one, and its connection was the slowest/

test('unread exports hold up no other', async t => {
  const files = await open(t)
  for (let count = 0; count < 5; count += 1) {
    const unread = await files.exportFile(EXPORT, never())
    t.after(() => abandon(unread))
  }
  const { chunks } = await files.exportFile(EXPORT, never())
  assert.equal(Buffer.concat(await Array.fromAsync(chunks)).toString(), '\ufeffid,name,categoryId,status\n')
})

test('imports whose files never arrive hold up no other', async t => {
  const files = await open(t)
  const senders = [1, 2, 3, 4].map(() => send(files, HEADER))
  await eventually(() => assert.equal(files.imports.length, 4))
  assert.equal((await send(files, `${HEADER}Rex,7\n`, 'whole').report).imported, 1)
  for (const { leave, report } of senders) {
    leave()
    await assert.rejects(report, /left/)
  }
  assert.deepEqual(files.imports, [])
})

test('many imports at once wait for their turn, and all are carried out', async t => {
  const files = await open(t)
  const reports = await Promise.all(Array.from({ length: 5 }, () => send(files, `${HEADER}Rex,7\n`, 'whole').report))
  assert.deepEqual(reports.map(({ firstId }) => firstId).toSorted(byNumber), [1n, 2n, 3n, 4n, 5n])
})

test('an import whose client leaves while it waits for its turn changes nothing', async t => {
  const files = await open(t)
  const running = Array.from({ length: 4 }, () => send(files, HEADER + 'Rex,7\n'.repeat(5_000), 'whole'))
  running[3]?.leave()
  await assert.rejects(running[3]?.report as Promise<unknown>, /left/)
  for (const { report } of running.slice(0, 3)) assert.equal((await report).imported, 5_000)
})

const SPOOL = temporaryFolder({ dataFolder: '', databaseUrl: undefined })

test('when files take up all the room, the slowest sender loses its own to a faster one', async t => {
  let now = 0
  const files = await open(t, { uploads: { ...MANY, maxBytes: 20_000, clock: () => now } })
  const slow = send(files, HEADER + 'Rex,7\n'.repeat(2_000))
  const refused = assert.rejects(slow.report, TOO_SLOW)
  await eventually(() => assert.ok(sizesOfTemporaryFiles().includes(12_016)))
  now += LONG_MS
  assert.equal((await send(files, HEADER + 'Rex,7\n'.repeat(3_000), 'whole').report).imported, 3_000)
  await refused
  const alone = await send(files, HEADER + 'Rex,7\n'.repeat(4_000), 'whole').report
  assert.equal(alone.imported, 4_000, 'a file that is alone has room')
})

test('when exported files take up all the room, the slowest reader loses its own to a faster one', async t => {
  let now = 0
  const files = await open(t, { downloads: { ...MANY, maxBytes: 300_000, clock: () => now } })
  await send(files, HEADER + 'Rex,7\n'.repeat(10_000), 'whole').report
  const slow = await files.exportFile(EXPORT, never())
  await eventually(() => assert.ok(sizesOfTemporaryFiles().some(size => size > 200_000)))
  now += LONG_MS
  const fast = await files.exportFile(EXPORT, never())
  const text = Buffer.concat(await Array.fromAsync(fast.chunks)).toString()
  assert.equal(text.split('\n').length, 10_002)
  assert.match(slow.signal.reason.message, TOO_SLOW)
  await assert.rejects(Array.fromAsync(slow.chunks), TOO_SLOW)
})

test('unread lists of bad lines hold up no other, and do not keep what was uploaded', async t => {
  const files = await open(t)
  const text = HEADER + 'Rex,x\n'.repeat(2_000)
  const list = () => files.listBadLines(IMPORT, parts(text), never())
  for (let count = 0; count < 5; count += 1) {
    const unread = await list()
    t.after(() => abandon(unread))
  }
  const { chunks } = await list()
  const listed = Buffer.concat(await Array.fromAsync(chunks)).toString()
  assert.equal(listed.split('\r\n').length, 2_002)
  await eventually(() => {
    const sizes = sizesOfTemporaryFiles()
    assert.deepEqual([sizes.length, sizes.includes(text.length)], [5, false])
  })
})

test('temporary files have no name, and are gone when they are no longer needed', async t => {
  const files = await open(t)
  const sender = send(files, HEADER)
  await eventually(() => assert.ok(sizesOfTemporaryFiles().includes(HEADER.length)))
  assert.deepEqual(
    readdirSync(SPOOL).filter(name => name.startsWith(`petstore-${process.pid}-`)),
    [],
  )
  sender.leave()
  await assert.rejects(sender.report, /left/)
  await eventually(() => assert.deepEqual(sizesOfTemporaryFiles(), []))
})

test('an export whose client has left does not begin', async t => {
  const files = await open(t)
  for (const _ of [1, 2, 3, 4, 5]) {
    await assert.rejects(files.exportFile(EXPORT, AbortSignal.abort(new Error('left'))), /left/)
  }
  await eventually(() => assert.deepEqual(sizesOfTemporaryFiles(), []))
})

test('exports whose threads cannot be started keep no place of the others', async t => {
  const files = await open(t)
  const unsendable = { ...EXPORT, filter: { name: Symbol('no thread receives it') as unknown as string } }
  for (const _ of [1, 2, 3, 4, 5]) await assert.rejects(files.exportFile(unsendable, never()), /could not be cloned/)
  const { chunks } = await files.exportFile(EXPORT, never())
  assert.equal((await Array.fromAsync(chunks)).length, 1)
})

test('once the store is gone, imports and exports fail, and neither make another one nor use one that was made', async t => {
  const folder = await folderOfTest(t)
  const files = await openIn(t, folder)
  await rm(folder, { recursive: true })
  const refused = async () => {
    await assert.rejects(files.exportFile(EXPORT, never()), StoreUnavailable)
    await assert.rejects(send(files, `${HEADER}Rex,7\n`, 'whole').report, StoreUnavailable)
  }
  await refused()
  assert.ok(!existsSync(folder))
  prepareDatabase(folder, 'production')
  await refused()
})

/** As the end of a connection does. */
async function abandon({ chunks }: Download): Promise<void> {
  await chunks[Symbol.asyncIterator]().return?.()
}

async function open(t: TestContext, bounds?: PetFileBounds): Promise<PetFileThreads> {
  return openIn(t, await folderOfTest(t), bounds)
}

async function openIn(t: TestContext, folder: string, bounds?: PetFileBounds): Promise<PetFileThreads> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  const files = new PetFileThreads(parseConfig({ PETSTORE_DATA: folder }), Date.now, bounds)
  t.after(() => files.close())
  return files
}

/** A sender that sends this text, and then nothing more until it leaves, unless the text is the whole file. */
function send(files: PetFileThreads, text: string, isWhole?: 'whole') {
  const left = new AbortController()
  async function* chunks() {
    yield* parts(text)
    if (!isWhole) await new Promise(() => {})
  }
  const report = files.importFile(IMPORT, 'test', chunks(), left.signal)
  report.catch(() => {})
  return { report, leave: () => left.abort(new UserError('conflict', 'left')) }
}

async function* parts(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

function never(): AbortSignal {
  return new AbortController().signal
}

function byNumber(one: bigint | undefined, other: bigint | undefined): number {
  return Number(one) - Number(other)
}

/** Of this process, as the system sees them. */
function sizesOfTemporaryFiles(): number[] {
  return readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      const isOne = readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${SPOOL}/petstore-${process.pid}-`)
      return isOne ? [fstatSync(Number(descriptor)).size] : []
    } catch {
      return []
    }
  })
}
