import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from '../../test/support/read-csv.ts'
import { type Splitting, splitIntoCells } from '../../test/support/spreadsheet.ts'
import { anyText } from '../../test/support/text.ts'
import { writeBadLines } from '../pet-files/bad-lines-file.ts'
import { readLines } from '../pet-files/lines.ts'
import { formatCsv, formatCsvHeader } from '../pet-files/write-csv.ts'
import { formatAuditFile } from '../schema/audit-file.ts'
import type { ListedEntry } from './audit.ts'
import { guard, unguard } from './formula-guard.ts'
import { PET_NAME_PATTERN, type Pet } from './pet.ts'
import { CSV_DELIMITERS } from './pet-files.ts'
import type { PetTransfer } from './pet-transfer.ts'

const SEPARATORS = [',', ';', '\t', '|']
const FORMULAS = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20']
/** Every way to read a file. */
const SPLITTINGS: Splitting[] = SEPARATORS.flatMap(delimiter =>
  [true, false].map(knowsQuotes => ({ delimiter, knowsQuotes })),
)

const HOSTILE = [
  'a;=HYPERLINK("https://evil.test","x")',
  'a,=1',
  'a|@SUM(A1)',
  'a\t+1',
  'a;"=1',
  'a;""-1',
  'a; =1',
  'a;\u00a0=1',
  "a;'=1",
  'a;\u200b=1',
  'a\n=1',
  'a\r\n=1',
  'a\u2028=1',
  '\t=1',
  '\r=1',
  'a;\t=1',
  '";=1',
  'x;',
  "'",
  '-1',
  ...FORMULAS.flatMap(first => [first, `${first}1`, `a;${first}1`]),
]

const part = fc.constantFrom(...SEPARATORS, ...FORMULAS, '"', "'", ' ', '\n', '\r', 'a', '1', '\\', '\u2028', '\ufeff')
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: part, maxLength: 12 }), anyText({ maxLength: 20 }))
const isName = (name: string) => new RegExp(PET_NAME_PATTERN, 'u').test(name)

test('no text is a formula once it is guarded, and the guard is removed byte for byte', () => {
  fc.assert(
    fc.property(text, given => {
      assert.equal(unguard(guard(given)), given)
    }),
    { numRuns: 2_000 },
  )
  for (const harmless of ['Rex', "O'Neil", 'a=b', 'Rex - the "King", jr.', '"Rex"', 'a;b'])
    assert.equal(guard(harmless), harmless)
})

test('an export that is safe for spreadsheets has no formula, whichever separator its reader takes, and its names come back', async () => {
  const safe = { safeForSpreadsheets: true }
  await fc.assert(
    fc.asyncProperty(fc.array(text.filter(isName), { minLength: 1, maxLength: 5 }), async names => {
      const pets = names.map((name, index): Pet => ({ id: BigInt(index + 1), name, categoryId: -5n, status: 'sold' }))
      for (const delimiter of CSV_DELIMITERS) {
        const file = formatCsvHeader({ delimiter }) + formatCsv(pets, { delimiter, ...safe })
        assertNoFormula(file)
        const lines = (await Array.fromAsync(readCsv(readLines(inOneChunk(file)), { delimiter, ...safe }))).flat()
        assert.deepEqual(
          lines.map(line => ('name' in (line as object) ? (line as Pet).name : line)),
          names,
        )
      }
    }),
    { numRuns: 300 },
  )
})

test('no text in the audit log as CSV is a formula, and its JSON keeps its meaning', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (actor, value) => {
      const details = { text: value, count: -1 }
      const change = { details, before: { name: value } }
      const entry = { id: 1n, at: 0, actor, origin: value, action: 'pet.import', ...change } as unknown as ListedEntry
      const parts = await Array.fromAsync(formatAuditFile(inBatches([entry]), 'csv'))
      assertNoFormula(parts.join(''))
      const cells = splitIntoCells(parts.join(''), { delimiter: ',' })[1] ?? []
      assert.deepEqual(JSON.parse(cells.at(-2) ?? ''), details)
    }),
    { numRuns: 500 },
  )
})

test('no text in a list of bad lines is a formula', async () => {
  const none = {
    readCategories: async () => ({ labels: [], highest: 0n }),
    stage: async () => [],
    preview: async () => ({ refused: 0, refusedLines: [] }),
    discard: async () => {},
  }
  const transfer = { beginImport: async () => none } as unknown as PetTransfer
  await fc.assert(
    fc.asyncProperty(text, text, async (name, value) => {
      const quoted = [name, value].map(one => `"${one.replaceAll('"', '""')}"`)
      const lines = [JSON.stringify({ name, categoryId: value }), JSON.stringify({ [value]: 1, name, categoryId: -1 })]
      for (const [format, file] of [
        ['csv', `name,categoryId\n${quoted.join()}\n${quoted.join()},${quoted[0]}\n`],
        ['ndjson', lines.join('\n')],
      ] as const) {
        const request = {
          format,
          mode: 'add',
          csv: { encoding: 'utf-8' },
          name: 'x',
          actor: { name: 'x', origin: 'x' },
          clock: () => 0,
        } as const
        const open = () => inOneChunk(file)
        const progress = { onProgress() {}, dryRun: true, skipBad: true, bytes: 0 }
        assertNoFormula((await Array.fromAsync(writeBadLines(transfer, { ...request, ...progress, open }))).join(''))
      }
    }),
    { numRuns: 300 },
  )
})

function assertNoFormula(file: string): void {
  for (const splitting of SPLITTINGS) {
    for (const cell of splitIntoCells(file.replace(/^\ufeff/, ''), splitting).flat()) {
      // Some programs drop blanks at the start of a cell.
      for (const shown of [cell, cell.trimStart()]) {
        assert.ok(
          !/^[=+@\t\r\uff0b\uff0d\uff1d\uff20]|^-(?!\d+$)/.test(shown),
          JSON.stringify([shown, splitting, file]),
        )
      }
    }
  }
}

async function* inOneChunk(file: string): AsyncIterable<Buffer> {
  yield Buffer.from(file)
}

async function* inBatches<Item>(items: Item[]): AsyncIterable<Item[]> {
  yield items
}
