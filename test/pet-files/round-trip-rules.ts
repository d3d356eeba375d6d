import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { COMMAND_LINE } from '../../src/domain/audit.ts'
import { CSV_DELIMITERS, type CsvReading, type ExportOptions } from '../../src/domain/pet-files.ts'
import type { OpenedTransfer } from '../../src/domain/pet-transfer.contract.ts'
import type { PetTransfer } from '../../src/domain/pet-transfer.ts'
import { exportPets } from '../../src/pet-files/export-pets.ts'
import { importAll } from '../../src/pet-files/import-pets.ts'

const ACTOR = { name: 'Anna', origin: COMMAND_LINE }
const ENTRY = { at: 0, actor: ACTOR.name, origin: ACTOR.origin, action: 'pet.import', details: {} } as const

const NAMES = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '＝1', "'quoted", "'=1+1", '"', '""', 'a,b;c|d', 'x,=1', 'x;+1', '="12"'],
  ...['_x0041_', '_x005F_', '_x', '__x0041__', '_x005f_x0041_', '_x000D_', '&amp; <b> ]]>', 'Rex & "Max" <3'],
  ...[' Rex', 'Rex ', '\u00a0Rex\u3000', '\ufeffRex', 'a\u2028b', 'Rex\uffff', '\ufffe'],
  ...['🐶🐱', '👩‍👩‍👧', 'מיאו', '\u202eRex\u202c', 'Zoë', 'Śnieżka', 'さくら', 'e\u0301'],
  ...['12', '1.0', '0012', '1e5', '2024-01-02', '1/2', 'TRUE', '#N/A', '#####', 'Total', 'sold', 'id', 'name', 'sep=;'],
  ...['x', '🐶', '=', '"', '&'].map(character => character.repeat(255)),
]
const CATEGORIES = [0n, -1n, 7n, 2n ** 53n, 10n ** 15n - 1n, 10n ** 15n, 2n ** 63n - 1n, -(2n ** 63n)]
const LABELS = new Map([
  [7n, '=Cats'],
  [0n, 'Dogs, "big"; small'],
  [2n ** 63n - 1n, '7th'],
  [-1n, 'Cats'],
  [10n ** 15n, 'Cats'],
])
const FIRST_LONG_ID = 2n ** 61n

/** How a file is exported, and how it is read again. */
const WAYS: readonly [name: string, writing: Omit<ExportOptions, 'filter'>, reading: CsvReading][] = [
  ['NDJSON', { format: 'ndjson' }, {}],
  ['a workbook', { format: 'xlsx' }, {}],
  ...CSV_DELIMITERS.flatMap(delimiter =>
    [false, true].flatMap(categoryLabels =>
      [false, true].map((safeForSpreadsheets): (typeof WAYS)[number] => [
        `CSV, ${delimiter}, labels ${categoryLabels}, safe ${safeForSpreadsheets}`,
        { format: 'csv', delimiter, categoryLabels, safeForSpreadsheets },
        { safeForSpreadsheets },
      ]),
    ),
  ),
]

/** An exported file comes back by an import with --update, and changes nothing. */
export function roundTripRules(store: string, open: () => Promise<OpenedTransfer>): void {
  test(`${store}: every exported file comes back unharmed`, async t => {
    const { transfer } = await openWithAnimals(t, open)
    for (const [way, writing, reading] of WAYS) {
      const file = await exportFile(transfer, writing)
      const { updated, unchanged, bad } = await update(transfer, file, writing.format, reading)
      assert.deepEqual({ way, updated, unchanged, bad }, { way, updated: 0, unchanged: NAMES.length * 2, bad: [] })
    }
  })

  test(`${store}: an export has the external ids on request, which an update skips`, async t => {
    const { transfer } = await openWithAnimals(t, open)
    const externalIds = ['0017', '7.0', '=1+1', 'a;b,"c"', ' x ', '2024-01-02', 'Ž'.repeat(255)]
    const sync = await transfer.beginSync({ source: '=Riverside', mayCreate: true })
    const change = { name: 'Rex', categoryId: 7n, status: 'sold' } as const
    await sync.stage(externalIds.map((externalId, at) => ({ line: at + 2, externalId, change })))
    const file = { ...ENTRY, action: 'pet.sync', details: { file: 'feed.csv' } } as const
    const { firstId = 0n } = await sync.commit(file, { skipRefused: false })

    const run = await transfer.beginExport({ afterId: firstId - 1n }, true)
    const origins = (await Array.fromAsync(run.batches)).flat().map(({ id, origin }) => ({ ...origin, petId: id }))
    await run.close()
    const expected = externalIds.map((externalId, at) => ({
      petId: firstId + BigInt(at),
      source: '=Riverside',
      externalId,
    }))
    assert.deepEqual(origins, expected)
    const unchanged = NAMES.length * 2 + externalIds.length
    for (const [way, writing, reading] of WAYS.filter(([, { format }]) => format !== 'ndjson')) {
      const exported = await exportFile(transfer, { ...writing, externalIds: true })
      const report = await update(transfer, exported, writing.format, reading)
      assert.deepEqual([way, report.columns.slice(-2)], [way, ['source', 'externalId']])
      assert.deepEqual([way, report.updated, report.unchanged, report.bad], [way, 0, unchanged, []])
    }
  })

  test(`${store}: an export has the labels as of its beginning`, async t => {
    const { transfer, store: categories } = await openWithAnimals(t, open)
    const run = await transfer.beginExport()
    await categories.labelCategory(7n, 'Later', { ...ENTRY, action: 'category.label' })
    assert.deepEqual(run.labels, LABELS)
    await run.close()
  })
}

async function openWithAnimals(t: TestContext, open: () => Promise<OpenedTransfer>): Promise<OpenedTransfer> {
  const opened = await open()
  t.after(opened.close)
  const run = await opened.transfer.beginImport()
  const animals = NAMES.flatMap((name, at) => {
    const pet = { name, categoryId: CATEGORIES[at % CATEGORIES.length] as bigint, status: 'pending' as const }
    return [
      { line: 2 * at + 1, id: undefined, ...pet },
      { line: 2 * at + 2, id: FIRST_LONG_ID + BigInt(at), ...pet },
    ]
  })
  await run.stage(animals)
  await run.commit(ENTRY, { skipRefused: false })
  for (const [id, label] of LABELS) {
    await opened.store.labelCategory(id, label, { ...ENTRY, action: 'category.label' })
  }
  return opened
}

async function exportFile(transfer: PetTransfer, writing: Omit<ExportOptions, 'filter'>): Promise<Buffer> {
  const run = await transfer.beginExport({}, writing.externalIds)
  const parts = await Array.fromAsync(exportPets(run, writing))
  await run.close()
  return Buffer.concat(parts.map(part => Buffer.from(part as Uint8Array)))
}

function update(transfer: PetTransfer, file: Buffer, format: ExportOptions['format'], csv: CsvReading) {
  return importAll(transfer, {
    ...{ format, csv, mode: 'update', dryRun: false, skipBad: false, name: 'pets', actor: ACTOR },
    ...{ clock: Date.now, bytes: file.length, onProgress: () => {} },
    async *open(from = 0) {
      yield file.subarray(from)
    },
  })
}
