import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { NewAuditEntry } from './audit.ts'
import { MAX_BAD_LINES_KEPT } from './bad-lines.ts'
import { INT64_MAX, INT64_MIN } from './int64.ts'
import { explainMisread } from './misread-name.ts'
import { ActionRefused } from './permit.ts'
import { type NewPet, PET_STATUSES, type Pet, type PetStatus } from './pet.ts'
import {
  idGivenBefore,
  idTwice,
  MAX_IMPORTED_ID,
  NOTHING_DONE,
  noSuchAnimal,
  type PetLine,
  type PetTransfer,
} from './pet-transfer.ts'
import type { Store } from './store.ts'
import { createToken } from './store-contract/fixtures.contract.ts'

/** An empty store, and its imports and exports. */
export interface OpenedTransfer {
  store: Store
  transfer: PetTransfer
  /** Another empty one. */
  openOther(): Promise<OpenedTransfer>
  close(): Promise<void>
}

const NOW = Date.UTC(2027, 2, 1, 12, 0, 0, 250)
const ENTRY: NewAuditEntry = {
  at: NOW,
  actor: 'anna',
  origin: 'command line',
  action: 'pet.import',
  details: { file: 'pets.csv' },
}
const UPDATE: NewAuditEntry = { ...ENTRY, action: 'pet.update' }
const STRICT = { skipRefused: false }
const SKIPPING = { skipRefused: true }

/** The contract of every PetTransfer. */
export function petTransferContract(name: string, open: () => Promise<OpenedTransfer>): void {
  const rule = (sentence: string, check: (opened: OpenedTransfer) => Promise<void>) =>
    test(`${name}: ${sentence}`, async (t: TestContext) => {
      const opened = await open()
      t.after(opened.close)
      await check(opened)
    })

  rule('an export that is imported into an empty store gives the same animals with the same ids', async opened => {
    const categories = [INT64_MAX, INT64_MIN, 0n, -1n, 2n ** 53n + 1n]
    for (const [index, categoryId] of categories.entries()) {
      await create(opened.store, { name: ` Rex "${index}",\ufeff🐕 `, categoryId, status: statusOf(index) })
    }
    const gone = await create(opened.store, pet())
    await opened.store.deletePet(gone, { ...ENTRY, action: 'pet.delete' })
    await create(opened.store, pet())

    const exported = await exportAll(opened.transfer)
    const other = await opened.openOther()
    const outcome = await importAll(
      other.transfer,
      exported.map((one, index) => ({ ...one, line: index + 1 })),
    )
    assert.deepEqual(outcome, {
      ...NOTHING_DONE,
      imported: 6,
      firstId: 1n,
      lastId: 7n,
      entryId: await newestEntry(opened.store),
    })
    assert.equal(exported.length, 6)
    assert.deepEqual(await exportAll(other.transfer), exported)
    assert.deepEqual((await other.store.listPets(FIRST_PAGE)).pets, exported)
    assert.equal((await create(other.store, pet())).id, 8n, 'the next animal gets the next id')
  })

  rule(
    'animals without an id get the next ones, in the order of their lines, after those that have one',
    async opened => {
      await create(opened.store, pet())
      const lines = [petLine(3), petLine(4, 12n), petLine(5), petLine(9, 10n), petLine(17)]
      const outcome = await importAll(opened.transfer, lines)
      assert.deepEqual(outcome, {
        ...NOTHING_DONE,
        imported: 5,
        firstId: 10n,
        lastId: 15n,
        entryId: await newestEntry(opened.store),
      })
      assert.deepEqual(
        (await exportAll(opened.transfer)).slice(1).map(({ id, name }) => [id, name]),
        [
          [10n, 'line 9'],
          [12n, 'line 4'],
          [13n, 'line 3'],
          [14n, 'line 5'],
          [15n, 'line 17'],
        ],
      )
    },
  )

  rule(
    'animals without an id get the ids after the highest ever given, even if its animal was deleted',
    async opened => {
      await opened.store.deletePet(await create(opened.store, pet()), { ...ENTRY, action: 'pet.delete' })
      const outcome = await importAll(opened.transfer, [petLine(1), petLine(2)])
      assert.deepEqual([outcome.firstId, outcome.lastId], [2n, 3n])
      assert.deepEqual(
        (await exportAll(opened.transfer)).map(({ id }) => id),
        [2n, 3n],
      )
    },
  )

  rule(
    'after an animal with a very high id, each new one changes the version of the animals',
    async ({ store, transfer }) => {
      await importAll(transfer, [petLine(1, 2n ** 60n)])
      const versions = new Set<string>()
      for (let added = 0; added < 3; added += 1) {
        versions.add((await store.readVersions()).animals)
        await create(store, pet())
      }
      assert.equal(versions.size, 3)
    },
  )

  rule('in any mixture of lines, each animal keeps its id, and the new ids follow in order', async opened => {
    let highest = 0n
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.option(fc.bigInt(1n, 60n), { nil: undefined }), {
          minLength: 1,
          maxLength: 30,
          selector: id => id ?? Symbol(),
        }),
        async steps => {
          const lines = steps.map((step, index) => petLine(index + 1, step === undefined ? undefined : highest + step))
          const before = await exportAll(opened.transfer)
          const outcome = await importAll(opened.transfer, lines)
          const given = lines.flatMap(({ id }) => id ?? []).reduce((most, id) => (id > most ? id : most), highest)
          let next = given
          const expected = lines.map(({ line: _, ...one }) => ({ ...one, id: one.id ?? ++next })).toSorted(byId)
          assert.deepEqual((await exportAll(opened.transfer)).slice(before.length), expected)
          assert.deepEqual(
            [outcome.imported, outcome.firstId, outcome.lastId],
            [lines.length, expected[0]?.id, expected.at(-1)?.id],
          )
          highest = next
        },
      ),
      { numRuns: 30 },
    )
  })

  rule('an id that was given before, or is already in an earlier line, is refused', async opened => {
    await create(opened.store, pet())
    await opened.store.deletePet(await create(opened.store, pet()), { ...ENTRY, action: 'pet.delete' })
    const run = await opened.transfer.beginImport()
    assert.deepEqual(await run.stage([petLine(1, 1n), petLine(2, 3n), petLine(3, 2n), petLine(4, 3n)]), [
      { line: 1, reason: idGivenBefore(1n, 2n) },
      { line: 3, reason: idGivenBefore(2n, 2n) },
      { line: 4, reason: idTwice(3n, 2) },
    ])
    assert.deepEqual(await run.stage([petLine(5, 3n)]), [{ line: 5, reason: idTwice(3n, 2) }])
    const { imported, firstId, lastId } = await run.commit(ENTRY, STRICT)
    assert.deepEqual([imported, firstId, lastId], [1, 3n, 3n])
    assert.equal((await opened.store.findPet(3n))?.name, 'line 2')
  })

  rule('an id that is given while the file is read aborts the import, or its animal is left out', async opened => {
    for (const [options, made] of [
      [STRICT, 0],
      [SKIPPING, 2],
    ] as const) {
      const { id: highest } = await create(opened.store, pet())
      const run = await opened.transfer.beginImport()
      const [taken, free] = [highest + 1n, highest + 2n]
      assert.deepEqual(await run.stage([petLine(8, taken), petLine(2, free), petLine(9)]), [])
      assert.equal((await create(opened.store, pet())).id, taken)
      const expected = {
        ...NOTHING_DONE,
        imported: made,
        firstId: made ? free : undefined,
        lastId: made ? free + 1n : undefined,
        refused: 1,
        refusedLines: [{ line: 8, reason: idGivenBefore(taken, taken) }],
      }
      const before = await exportAll(opened.transfer)
      assert.deepEqual(await run.preview(options), expected)
      const outcome = await run.commit(ENTRY, options)
      assert.deepEqual(outcome, made ? { ...expected, entryId: await newestEntry(opened.store) } : expected)
      assert.equal((await exportAll(opened.transfer)).length, before.length + made)
    }
  })

  rule('of very many refused lines, the first are reported, and the number of all', async opened => {
    const run = await opened.transfer.beginImport()
    const many = MAX_BAD_LINES_KEPT + 1
    await run.stage(Array.from({ length: many }, (_, index) => petLine(many - index, BigInt(index + 1))))
    const other = await opened.transfer.beginImport()
    await other.stage([petLine(1, BigInt(many))])
    await other.commit(ENTRY, STRICT)
    const { refused, refusedLines } = await run.commit(ENTRY, STRICT)
    assert.equal(refused, many)
    assert.deepEqual(
      refusedLines.map(({ line }) => line),
      Array.from({ length: MAX_BAD_LINES_KEPT }, (_, index) => index + 1),
    )
  })

  rule(
    'the labels of categories are known, and the highest number that a program can count on',
    async ({ store, transfer }) => {
      const run = await transfer.beginImport()
      assert.deepEqual(await run.readCategories(true), { labels: [], highest: 0n })
      await store.labelCategory(7n, 'Cats', { ...ENTRY, action: 'category.label' })
      await store.labelCategory(2n ** 60n, 'Rare', { ...ENTRY, action: 'category.label' })
      await create(store, { ...pet(), categoryId: 9n })
      const labels = [
        { id: 7n, label: 'Cats' },
        { id: 2n ** 60n, label: 'Rare' },
      ]
      assert.deepEqual(await run.readCategories(true), { labels, highest: 9n })
      assert.deepEqual(await run.readCategories(false), { labels, highest: 0n })
      await run.discard()
    },
  )

  rule(
    'new categories are labelled in the step of the import, each with its audit entry, or not at all',
    async opened => {
      const { store, transfer } = opened
      const importNew = async () => {
        const run = await transfer.beginImport()
        await run.stage([{ ...pet(), line: 1, id: undefined, categoryId: 8n }])
        return run
      }
      const options = { ...STRICT, newCategories: [{ id: 8n, label: 'Dogs' }] }
      const late = await importNew()
      const run = await importNew()
      await run.preview(options)
      assert.deepEqual(await store.findCategories([8n]), [])
      await run.commit(ENTRY, options)
      assert.deepEqual(await store.findCategories([8n]), [{ id: 8n, label: 'Dogs' }])
      const [entry] = await store.listAudit({ action: 'category.label', limit: 10 })
      assert.deepEqual([entry?.subjectId, entry?.after, entry?.actor], [8n, { label: 'Dogs' }, 'anna'])
      await assert.rejects(late.commit(ENTRY, options), /Category 8 was labelled while the file was read/)
      assert.equal((await store.listPets(FIRST_PAGE)).pets.length, 1)
    },
  )

  rule('a new category gets no label that another category has got meanwhile', async ({ store, transfer }) => {
    const run = await transfer.beginImport()
    await run.stage([{ ...pet(), line: 1, id: undefined, categoryId: 8n }])
    await store.labelCategory(9n, 'Dogs', { ...ENTRY, action: 'category.label' })
    const labelling = run.commit(ENTRY, { ...STRICT, newCategories: [{ id: 8n, label: 'dogs' }] })
    await assert.rejects(labelling, /The label "dogs" was given to category 9 while the file was read/)
    assert.deepEqual(await store.findCategories([8n]), [])
  })

  rule('a new category gets no label for an animal that is deleted before the commit', async ({ store, transfer }) => {
    const created = await create(store, pet())
    const options = { ...SKIPPING, newCategories: [{ id: 8n, label: 'Dogs' }] }
    const run = await transfer.beginUpdate()
    await run.stage([{ line: 2, id: created.id, change: { categoryId: 8n } }])
    assert.deepEqual((await run.preview(options)).newCategories, options.newCategories)
    await store.deletePet(created, { ...ENTRY, action: 'pet.delete' })
    assert.deepEqual((await run.commit(ENTRY, options)).newCategories, [])
    assert.deepEqual(await store.findCategories([8n]), [])
  })

  rule('an import is invisible before its commit, and when it is discarded or previewed', async opened => {
    const run = await opened.transfer.beginImport()
    await run.stage([petLine(1), petLine(2, 5n)])
    assert.deepEqual(await run.preview(STRICT), { ...NOTHING_DONE, imported: 2, firstId: 5n, lastId: 6n })
    assert.deepEqual(await exportAll(opened.transfer), [])
    assert.equal((await create(opened.store, pet())).id, 1n, 'others write meanwhile')
    await run.discard()
    await run.discard()
    assert.equal((await exportAll(opened.transfer)).length, 1)
    assert.deepEqual(await opened.store.listAudit({ limit: 10 }), [])
  })

  rule('an import writes one audit entry, and an empty import writes none', async opened => {
    assert.deepEqual(await importAll(opened.transfer, []), NOTHING_DONE)
    assert.deepEqual(await opened.store.listAudit({ limit: 10 }), [])
    await importAll(opened.transfer, [petLine(1), petLine(2, 5n)])
    const [entry, ...others] = await opened.store.listAudit({ limit: 10 })
    const details = { file: 'pets.csv', count: 2, firstId: 5, lastId: 6 }
    const unknown = {
      tokenId: undefined,
      accountId: undefined,
      accountName: undefined,
      subjectId: undefined,
      subjectName: undefined,
      pet: undefined,
      before: undefined,
      after: undefined,
    }
    assert.deepEqual(entry, { ...ENTRY, id: entry?.id, ...unknown, details })
    assert.deepEqual(others, [])
  })

  rule(
    'an update corrects what its lines give, in one step with one audit entry, and keeps what it changed',
    async opened => {
      const { store, transfer } = opened
      const [rex, bella, max] = [await create(store, pet()), await create(store, pet()), await create(store, pet())]
      const run = await transfer.beginUpdate()
      const changes = [
        { line: 1, id: max.id, change: { categoryId: INT64_MIN, status: 'sold' as const } },
        { line: 2, id: rex.id, change: { name: 'Señor Rex' } },
        { line: 3, id: bella.id, change: { name: bella.name, status: undefined } },
      ]
      assert.deepEqual(await run.stage(changes.slice(0, 1)), [])
      assert.deepEqual(await run.stage(changes.slice(1)), [])
      const expected = { ...NOTHING_DONE, updated: 2, unchanged: 1 }
      assert.deepEqual(await run.preview(STRICT), expected)
      assert.deepEqual(await store.findPet(rex.id), rex)
      const outcome = await run.commit(UPDATE, STRICT)
      assert.deepEqual(outcome, { ...expected, entryId: await newestEntry(store) })
      assert.deepEqual(await exportAll(transfer), [
        { ...rex, name: 'Señor Rex' },
        bella,
        { ...max, categoryId: INT64_MIN, status: 'sold' },
      ])
      const [found] = (await store.searchPets({ ...EVERYTHING, name: 'senor' })).pets
      assert.equal(found?.id, rex.id, 'it is found by its new name')
      const [entry, ...others] = await store.listAudit({ limit: 10 })
      assert.deepEqual(
        [entry?.action, entry?.details, others.length],
        ['pet.update', { file: 'pets.csv', count: 2 }, 0],
      )
    },
  )

  rule('an update refuses ids that do not exist, or are already in an earlier line', async ({ store, transfer }) => {
    const rex = await create(store, pet())
    const run = await transfer.beginUpdate()
    const line = (number: number, id: bigint) => ({ line: number, id, change: { name: 'Max' } })
    assert.deepEqual(await run.stage([line(1, rex.id), line(2, 999n), line(3, rex.id)]), [
      { line: 2, reason: noSuchAnimal(999n) },
      { line: 3, reason: idTwice(rex.id, 1) },
    ])
    assert.deepEqual(await run.stage([line(4, rex.id)]), [{ line: 4, reason: idTwice(rex.id, 1) }])
    await run.discard()
    await run.discard()
    assert.deepEqual(await store.findPet(rex.id), rex)
    assert.deepEqual(await store.listAudit({ limit: 10 }), [])
  })

  rule('an update refuses a name in doubt, unless the animal already has it', async opened => {
    const { store, transfer } = opened
    const [total, rex] = [await create(store, { ...pet(), name: 'Total' }), await create(store, pet())]
    const run = await transfer.beginUpdate()
    const lines = [total, rex].map(({ id }, at) => {
      const line = at + 2
      return { line, id, change: { name: 'Total', status: 'sold' as const }, doubt: { line, reason: 'no name.' } }
    })
    assert.deepEqual(await run.stage(lines), [{ line: 3, reason: 'no name.' }])
    assert.equal((await run.commit(UPDATE, SKIPPING)).updated, 1)
    assert.deepEqual(
      (await exportAll(transfer)).map(({ name, status }) => [name, status]),
      [
        ['Total', 'sold'],
        [rex.name, rex.status],
      ],
    )
  })

  rule('an update refuses a stored name that a spreadsheet damaged, and no other', async opened => {
    const { store, transfer } = opened
    const [zoe, sakura, rex, sum] = [
      await create(store, { ...pet(), name: 'Zoë "x"' }),
      await create(store, { ...pet(), name: 'さくら' }),
      await create(store, pet()),
      await create(store, { ...pet(), name: '=SUM(A1)' }),
    ]
    const run = await transfer.beginUpdate()
    const changes = [
      { line: 2, id: zoe.id, change: { name: 'ZoÃ« "x"' } },
      { line: 3, id: sakura.id, change: { name: '???' } },
      { line: 4, id: 999n, change: { name: 'ZoÃ«' } },
      { line: 5, id: rex.id, change: { name: 'ZoÃ«?' } },
      { line: 6, id: sakura.id, change: { name: 'サクラ' } },
      { line: 7, id: zoe.id, change: { name: zoe.name, status: 'sold' as const } },
      { line: 8, id: sum.id, change: { name: "'=SUM(A1)" } },
    ]
    const bad = await run.stage(changes)
    assert.deepEqual(
      bad.map(({ line, reason, problems }) => [line, reason, problems?.[0]?.value]),
      [
        [2, explainMisread('ZoÃ« "x"', zoe.name), 'ZoÃ« "x"'],
        [3, explainMisread('???', sakura.name), '???'],
        [4, noSuchAnimal(999n), undefined],
        [8, explainMisread("'=SUM(A1)", sum.name), "'=SUM(A1)"],
      ],
    )
    assert.equal((await run.commit(UPDATE, SKIPPING)).updated, 3)
    assert.deepEqual(
      (await exportAll(transfer)).map(({ name, status }) => [name, status]),
      [
        [zoe.name, 'sold'],
        ['サクラ', 'available'],
        ['ZoÃ«?', 'available'],
        [sum.name, 'available'],
      ],
    )
  })

  rule('an operator who has lost the right to it imports and updates nothing', async ({ store, transfer }) => {
    const kept = await create(store, pet())
    const { token, permit } = await createOperator(store)
    const imported = await transfer.beginImport()
    await imported.stage([petLine(2), petLine(3, 9n)])
    const updated = await transfer.beginUpdate()
    await updated.stage([{ line: 2, id: kept.id, change: { name: 'Bella' } }])
    assert.equal(await store.revokeToken(token.id, { ...ENTRY, action: 'token.revoke' }), true)
    const entries = (await store.listAudit({ limit: 100 })).length
    await assert.rejects(imported.commit({ ...ENTRY, permit }, STRICT), ActionRefused)
    await assert.rejects(updated.commit({ ...UPDATE, permit }, STRICT), ActionRefused)
    assert.deepEqual(await exportAll(transfer), [kept])
    assert.equal((await store.listAudit({ limit: 100 })).length, entries)
  })

  rule('an operator who still has the right to it imports and updates', async ({ store, transfer }) => {
    const kept = await create(store, pet())
    const { permit } = await createOperator(store)
    const imported = await transfer.beginImport()
    await imported.stage([petLine(2)])
    assert.equal((await imported.commit({ ...ENTRY, permit }, STRICT)).imported, 1)
    const updated = await transfer.beginUpdate()
    await updated.stage([{ line: 2, id: kept.id, change: { name: 'Bella' } }])
    assert.equal((await updated.commit({ ...UPDATE, permit }, STRICT)).updated, 1)
  })

  rule('an update applies to the animals as they are at its commit', async ({ store, transfer }) => {
    for (const [options, updated] of [
      [STRICT, 0],
      [SKIPPING, 1],
    ] as const) {
      const [rex, gone] = [await create(store, pet()), await create(store, pet())]
      const run = await transfer.beginUpdate()
      const lines = [rex, gone].map(({ id }, index) => ({ line: index + 1, id, change: { name: 'Max' } }))
      assert.deepEqual(await run.stage(lines), [])
      assert.equal((await run.preview(options)).updated, 2)
      await store.correctPet(rex, { ...rex, categoryId: 99n }, { ...ENTRY, action: 'pet.correct' })
      await store.deletePet(gone, { ...ENTRY, action: 'pet.delete' })
      const outcome = await run.commit(UPDATE, options)
      assert.deepEqual(outcome, {
        ...NOTHING_DONE,
        ...{ updated, entryId: outcome.entryId, refused: 1 },
        refusedLines: [{ line: 2, reason: noSuchAnimal(gone.id) }],
      })
      assert.deepEqual(await store.findPet(rex.id), { ...rex, categoryId: 99n, name: updated ? 'Max' : rex.name })
    }
  })

  rule('the highest id that may be imported leaves room for more', async opened => {
    await importAll(opened.transfer, [petLine(1, MAX_IMPORTED_ID), petLine(2)])
    assert.equal((await create(opened.store, pet())).id, MAX_IMPORTED_ID + 2n)
  })

  rule('an export has only the selected animals', async ({ store, transfer }) => {
    const names = ['Zoë', 'ZOE', 'Rex', 'Moezoe']
    for (const [index, name] of names.entries()) {
      await create(store, { name, categoryId: BigInt(index % 2), status: statusOf(index) })
    }
    for (const [selection, expected] of [
      [{ name: 'zoe' }, ['Zoë', 'ZOE', 'Moezoe']],
      [{ name: 'zoe', categoryId: 1n }, ['ZOE', 'Moezoe']],
      [{ statuses: ['available', 'sold'] }, ['Zoë', 'Rex', 'Moezoe']],
      [{ statuses: ['sold'], name: 'zoe' }, []],
      [{ name: '\0' }, []],
    ] as const) {
      const run = await transfer.beginExport(selection)
      const found = (await Array.fromAsync(run.batches)).flat().map(({ name }) => name)
      assert.deepEqual([run.count, found], [expected.length, expected])
      await run.close()
    }
  })

  rule('an export holds the animals of one moment, whatever is written while it is read', async opened => {
    await importAll(
      opened.transfer,
      Array.from({ length: 3_000 }, (_, index) => ({ ...petLine(index + 1), status: statusOf(index) })),
    )
    for (const status of [undefined, ...PET_STATUSES]) {
      const before = (await exportAll(opened.transfer)).filter(one => !status || one.status === status)
      const run = await opened.transfer.beginExport(status && { statuses: [status] })
      assert.equal(run.count, before.length)
      const read: Pet[] = []
      for await (const batch of run.batches) {
        if (read.length === 0) {
          const last = before.at(-1) as Pet
          await opened.store.deletePet(last, { ...ENTRY, action: 'pet.delete' })
          await create(opened.store, { ...pet(), status: status ?? 'sold' })
        }
        read.push(...batch)
      }
      await run.close()
      assert.deepEqual(read, before)
    }
  })
}

const FIRST_PAGE = { status: undefined, afterId: 0n, limit: 100 }
const EVERYTHING = { ...FIRST_PAGE, name: undefined, categoryId: undefined, id: undefined }

async function create(store: Store, one: NewPet): Promise<Pet> {
  const creation = await store.createPet(one, NOW)
  assert.ok(creation.outcome === 'created')
  return creation.pet
}

async function createOperator(store: Store) {
  const { token } = await createToken(store)
  return { token, permit: { tokenId: token.id, role: 'staff' } as const }
}

async function importAll(transfer: PetTransfer, lines: readonly PetLine[]) {
  const run = await transfer.beginImport()
  assert.deepEqual(await run.stage(lines), [])
  return run.commit(ENTRY, STRICT)
}

async function newestEntry(store: Store): Promise<bigint | undefined> {
  return (await store.listAudit({ limit: 1 }))[0]?.id
}

async function exportAll(transfer: PetTransfer): Promise<Pet[]> {
  const run = await transfer.beginExport()
  const pets = (await Array.fromAsync(run.batches)).flat()
  await run.close()
  return pets
}

function pet(): NewPet {
  return { name: 'Rex', categoryId: 7n, status: 'available' }
}

function petLine(line: number, id?: bigint): PetLine {
  return { line, id, name: `line ${line}`, categoryId: 7n, status: 'available' }
}

function statusOf(index: number): PetStatus {
  return PET_STATUSES[index % PET_STATUSES.length] ?? 'available'
}

function byId(one: Pet, other: Pet): number {
  return one.id < other.id ? -1 : 1
}
