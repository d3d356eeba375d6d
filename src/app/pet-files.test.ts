import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../test/support/folder.ts'
import type { ImportOptions } from '../domain/pet-files.ts'
import { prepareDatabase } from '../sqlite/prepare-database.ts'
import { parseConfig } from './config.ts'
import { PetFileThreads } from './pet-files.ts'

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

test('an export counts until its client has read it, even if its thread has ended', async t => {
  const files = await open(t)
  const { signal } = new AbortController()
  const exports = await Promise.all([1, 2, 3, 4].map(() => files.exportFile(EXPORT, signal)))
  // Long enough for the threads to end, as they have no work left.
  await sleep(500)
  await assert.rejects(files.exportFile(EXPORT, signal), /4 exports are already running/)
  for (const one of exports) await Array.fromAsync(one)
  await Array.fromAsync(await files.exportFile(EXPORT, signal))
})

test('an import counts until its bad lines have been read', async t => {
  const files = await open(t)
  const run = (line: string) => files.importFile(IMPORT, 'test', parts(`name,categoryId\n${line}\n`), never())
  const refused = await Promise.all([run('Rex,x'), run('Rex,x')])
  await assert.rejects(run('Rex,7'), /2 imports are already running/)
  for (const { badLines } of refused) assert.equal((await Array.fromAsync(badLines)).length, 1)
  for (const _ of [1, 2, 3]) assert.equal((await run('Rex,7')).report.imported, 1)
})

test('an export whose client has left does not begin', async t => {
  const files = await open(t)
  for (const _ of [1, 2, 3, 4, 5]) {
    await assert.rejects(files.exportFile(EXPORT, AbortSignal.abort(new Error('left'))), /left/)
  }
})

async function open(t: TestContext): Promise<PetFileThreads> {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  const files = new PetFileThreads(parseConfig({ PETSTORE_DATA: folder }), Date.now)
  t.after(() => files.close())
  return files
}

function never(): AbortSignal {
  return new AbortController().signal
}

async function* parts(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}
