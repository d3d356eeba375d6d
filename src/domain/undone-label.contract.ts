import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewAuditEntry } from './audit.ts'
import type { OpenedTransfer } from './pet-transfer.contract.ts'
import type { Undo, UndoPreview } from './pet-undo.ts'
import type { Category } from './store/animals.ts'
import type { UndoneLabel } from './undone-label.ts'

const NOW = Date.UTC(2027, 2, 1, 12)
const IMPORT: NewAuditEntry = { at: NOW, actor: 'anna', origin: 'command line', action: 'pet.import', details: {} }
const UNDO: NewAuditEntry = { ...IMPORT, action: 'pet.undo' }
const LABEL: NewAuditEntry = { ...IMPORT, action: 'category.label' }
const STRICT = { skipRefused: false }
const DOGS = { id: 8n, label: 'Dogs' }
const CATS = { id: 9n, label: 'Cats' }

/** The labels that imports, corrections and syncs of every PetTransfer give to new categories, when these are undone. */
export function undoneLabelContract(name: string, open: () => Promise<OpenedTransfer>): void {
  const rule = (sentence: string, check: (opened: OpenedTransfer) => Promise<void>) =>
    test(`${name}: ${sentence}`, async (t: TestContext) => {
      const opened = await open()
      t.after(opened.close)
      await check(opened)
    })

  const ways: Record<string, (opened: OpenedTransfer, categories: Category[]) => Promise<bigint>> = {
    import: importNew,
    correction: correctTo,
    sync: syncNew,
  }
  for (const [way, act] of Object.entries(ways)) {
    rule(
      `undoing a ${way} takes the labels of its new categories away, and undoing that returns them`,
      async opened => {
        const { store } = opened
        await store.labelCategory(3n, 'Birds', { ...LABEL, after: { label: 'Birds' } })
        await addPet(opened, 3n)
        let entryId = await act(opened, [DOGS, CATS])
        for (const outcome of ['removed', 'returned', 'removed', 'returned'] as const) {
          const expected = [CATS, DOGS].map(({ id, label }) => ({ categoryId: id, label, outcome })).reverse()
          const done = await undo(opened, entryId)
          assert.deepEqual(done.labels, expected)
          assert.deepEqual(await labels(opened), outcome === 'returned' ? ['Birds', 'Cats', 'Dogs'] : ['Birds'])
          const [cats, dogs] = await store.listAudit({ subjectKind: 'category', limit: 2 })
          const values = { label: 'Cats' }
          assert.deepEqual(
            [cats?.action, cats?.subjectId, cats?.details, outcome === 'returned' ? cats?.after : cats?.before],
            [
              outcome === 'returned' ? 'category.label' : 'category.unlabel',
              9n,
              { partOf: Number(done.entryId) },
              values,
            ],
          )
          assert.equal(dogs?.subjectId, 8n)
          entryId = done.entryId
        }
      },
    )
  }

  rule('a label stays while animals have its category: ones that the undoing keeps, and others', async opened => {
    const entryId = await importNew(opened, [DOGS, CATS])
    const rex = await petIn(opened, 8n)
    await opened.store.correctPet(rex, { ...rex, name: 'Max' }, { ...IMPORT, action: 'pet.correct' })
    const { labels: kept, kept: animals } = await undo(opened, entryId)
    assert.deepEqual([kept, animals], [[undone(DOGS, 'used'), undone(CATS, 'removed')], 1])
    assert.deepEqual(await labels(opened), ['Dogs'])

    const birds = { id: 12n, label: 'Birds' }
    const second = await importNew(opened, [birds])
    await addPet(opened, 12n)
    const done = await undo(opened, second)
    assert.deepEqual(done.labels, [undone(birds, 'used')])
    assert.deepEqual((await undo(opened, done.entryId)).labels, [], 'there is nothing to return')
    assert.deepEqual(await labels(opened), ['Birds', 'Dogs'])
  })

  rule('a label that another category has got since is not returned', async opened => {
    const { entryId } = await undo(opened, await importNew(opened, [DOGS, CATS]))
    await importNew(opened, [{ id: 12n, label: 'dogs' }])
    assert.deepEqual((await undo(opened, entryId)).labels, [undone(DOGS, 'changed'), undone(CATS, 'returned')])
    assert.deepEqual(await labels(opened), ['Cats', 'dogs'])
  })

  rule('a label that was changed since stays as it is, even if it is the same again', async opened => {
    const { store } = opened
    const entryId = await importNew(opened, [DOGS, CATS, { id: 10n, label: 'Birds' }])
    await store.labelCategory(8n, 'Puppies', { ...LABEL, after: { label: 'Puppies' } })
    await store.labelCategory(9n, 'Cats', { ...LABEL, after: { label: 'Cats' } })
    await store.unlabelCategory(10n, { ...LABEL, action: 'category.unlabel' })
    const done = await undo(opened, entryId)
    assert.deepEqual(
      done.labels.map(({ label, outcome }) => [label, outcome]),
      [
        ['Dogs', 'changed'],
        ['Cats', 'changed'],
        ['Birds', 'changed'],
      ],
    )
    assert.deepEqual(await labels(opened), ['Cats', 'Puppies'])
  })

  rule('a label is not returned to a category that has got another one since', async opened => {
    const { entryId } = await undo(opened, await importNew(opened, [DOGS, CATS]))
    await opened.store.labelCategory(8n, 'Puppies', { ...LABEL, after: { label: 'Puppies' } })
    const done = await undo(opened, entryId)
    assert.deepEqual(done.labels, [undone(DOGS, 'changed'), undone(CATS, 'returned')])
    assert.deepEqual(await labels(opened), ['Cats', 'Puppies'])
  })

  rule(
    'the number of a category is never free again, whatever was undone, unlabelled, deleted or corrected',
    async opened => {
      const { store } = opened
      assert.equal(await highest(opened), 0n)
      await undo(opened, await importNew(opened, [DOGS]))
      assert.deepEqual([await labels(opened), await highest(opened)], [[], 8n])
      await store.labelCategory(11n, 'Birds', { ...LABEL, after: { label: 'Birds' } })
      await store.unlabelCategory(11n, { ...LABEL, action: 'category.unlabel' })
      assert.equal(await highest(opened), 11n)
      await addPet(opened, 20n)
      await store.deletePet(await petIn(opened, 20n), { ...IMPORT, action: 'pet.delete' })
      assert.equal(await highest(opened), 20n)
      await addPet(opened, 30n)
      const pet = await petIn(opened, 30n)
      await store.correctPet(pet, { ...pet, categoryId: 1n }, { ...IMPORT, action: 'pet.correct' })
      assert.equal(await highest(opened), 30n)
    },
  )

  rule(
    'an import is refused if its number was given to another word while it was read, even if that was undone',
    async opened => {
      for (const isUndone of [false, true]) {
        const id = (await highest(opened)) + 1n
        const late = await staged(opened, [{ id, label: 'Late' }])
        const first = await importNew(opened, [{ id, label: isUndone ? 'Second' : 'First' }])
        if (isUndone) await undo(opened, first)
        await assert.rejects(late(), new RegExp(`Category ${id} was labelled while the file was read`))
        assert.deepEqual(await labels(opened), ['First'], 'nothing of it is stored')
      }
    },
  )
}

function undone({ id, label }: Category, outcome: UndoneLabel['outcome']): UndoneLabel {
  return { categoryId: id, label, outcome }
}

/** The preview is what is done. */
async function undo({ store }: OpenedTransfer, entryId: bigint): Promise<Undo> {
  const preview = (await store.previewUndo(entryId)) as UndoPreview
  const done = (await store.undo(entryId, UNDO)) as Undo
  assert.deepEqual({ entryId: done.entryId, ...preview }, done)
  return done
}

async function labels({ store }: OpenedTransfer): Promise<string[]> {
  const found = await store.listCategories({ limit: 100 })
  return found.flatMap(({ label }) => label ?? []).sort()
}

async function highest({ transfer }: OpenedTransfer): Promise<bigint> {
  const run = await transfer.beginImport()
  const known = await run.readCategories(true)
  await run.discard()
  return known.highest
}

/** An import of one animal for each category, whose commit is still to come. */
async function staged({ transfer }: OpenedTransfer, newCategories: Category[]) {
  const run = await transfer.beginImport()
  await run.stage(newCategories.map(({ id }, index) => ({ line: index + 1, id: undefined, ...petOf(id) })))
  return () => run.commit(IMPORT, { ...STRICT, newCategories })
}

async function importNew(opened: OpenedTransfer, newCategories: Category[]): Promise<bigint> {
  return (await (await staged(opened, newCategories))()).entryId as bigint
}

/** Moves an animal of another category into each of these. */
async function correctTo(opened: OpenedTransfer, newCategories: Category[]): Promise<bigint> {
  for (const _ of newCategories) await addPet(opened, 4n)
  const { pets } = await opened.store.searchPets({ categoryId: 4n, limit: 10 })
  const run = await opened.transfer.beginUpdate()
  await run.stage(
    newCategories.map(({ id }, index) => ({ line: index, id: pets[index]?.id as bigint, change: { categoryId: id } })),
  )
  const { entryId } = await run.commit({ ...IMPORT, action: 'pet.update' }, { ...STRICT, newCategories })
  return entryId as bigint
}

async function syncNew({ transfer }: OpenedTransfer, newCategories: Category[]): Promise<bigint> {
  const run = await transfer.beginSync({ source: 'riverside', mayCreate: true })
  await run.stage(newCategories.map(({ id }, index) => ({ line: index, externalId: String(id), change: petOf(id) })))
  const entry: NewAuditEntry = { ...IMPORT, action: 'pet.sync', details: { file: 'feed.csv' } }
  return (await run.commit(entry, { ...STRICT, newCategories })).entryId as bigint
}

async function addPet({ store }: OpenedTransfer, categoryId: bigint): Promise<void> {
  await store.addPet(petOf(categoryId), { ...IMPORT, action: 'pet.create' })
}

async function petIn({ store }: OpenedTransfer, categoryId: bigint) {
  const [pet] = (await store.searchPets({ categoryId, limit: 1 })).pets
  assert.ok(pet)
  return pet
}

function petOf(categoryId: bigint) {
  return { name: 'Rex', categoryId, status: 'available' } as const
}
