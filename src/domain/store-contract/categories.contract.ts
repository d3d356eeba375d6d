import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../int64.ts'
import { audit, createAll, entry, newPet, nowAndAfterwards, type Rule } from './fixtures.contract.ts'

/** The labels of categories. */
export function categoriesContract(rule: Rule): void {
  rule('a category is labelled, relabelled and unlabelled, each with an audit entry', async (store, reopen) => {
    const before = store.revision()
    await store.labelCategory(7n, 'Dogs', entry('category.label', { after: { label: 'Dogs' } }))
    await store.labelCategory(7n, 'Puppies', entry('category.label', { after: { label: 'Puppies' } }))
    await store.labelCategory(8n, 'Cats', entry('category.label'))
    assert.equal(await store.unlabelCategory(8n, entry('category.unlabel')), true)
    assert.equal(await store.unlabelCategory(8n, entry('category.unlabel')), false)
    assert.deepEqual(store.revision(), before, 'no caller can see it')
    for await (const current of nowAndAfterwards(store, reopen)) {
      assert.deepEqual(await current.listCategories({ limit: 10 }), [{ id: 7n, label: 'Puppies', animals: 0 }])
      const entries = await audit(current)
      assert.deepEqual(
        entries.map(one => [one.action, one.subjectId, one.before, one.after]),
        [
          ['category.unlabel', 8n, { label: 'Cats' }, undefined],
          ['category.label', 8n, undefined, undefined],
          ['category.label', 7n, { label: 'Dogs' }, { label: 'Puppies' }],
          ['category.label', 7n, undefined, { label: 'Dogs' }],
        ],
      )
    }
  })

  rule('a category is listed with its animals, with or without a label', async store => {
    await createAll(
      store,
      [INT64_MIN, 3n, 3n, INT64_MAX, 3n].map(categoryId => newPet({ categoryId })),
    )
    await store.labelCategory(3n, 'Dogs', entry('category.label'))
    await store.labelCategory(4n, 'Cats', entry('category.label'))
    const all = [
      { id: INT64_MIN, label: undefined, animals: 1 },
      { id: 3n, label: 'Dogs', animals: 3 },
      { id: 4n, label: 'Cats', animals: 0 },
      { id: INT64_MAX, label: undefined, animals: 1 },
    ]
    assert.deepEqual(await store.listCategories({ limit: 10 }), all)
    assert.deepEqual(await store.listCategories({ afterId: INT64_MIN, limit: 2 }), all.slice(1, 3))
    assert.deepEqual(await store.listCategories({ label: '', limit: 10 }), all.slice(1, 3))
  })

  rule('categories are listed by their ids, and found by a part of their label', async store => {
    const labels = new Map([
      [INT64_MIN, 'Hunde, groß'],
      [-5n, 'Chats'],
      [0n, 'Dogs'],
      [3n, 'Cañaris'],
      [INT64_MAX, '100% dogs_'],
    ])
    const all = [...labels].map(([id, label]) => ({ id, label, animals: 0 }))
    for (const { id, label } of all.toReversed()) await store.labelCategory(id, label, entry('category.label'))
    assert.deepEqual(await store.listCategories({ limit: 10 }), all)
    assert.deepEqual(await store.listCategories({ limit: 2 }), all.slice(0, 2))
    assert.deepEqual(await store.listCategories({ afterId: -5n, limit: 2 }), all.slice(2, 4))
    assert.deepEqual(await store.listCategories({ afterId: INT64_MAX, limit: 2 }), [])
    for (const [label, ids] of [
      ['DOG', [0n, INT64_MAX]],
      ['canar', [3n]],
      ['GROSS', [INT64_MIN]],
      ['%', [INT64_MAX]],
      ['_', [INT64_MAX]],
      ['x', []],
    ] as const) {
      const found = await store.listCategories({ label, limit: 10 })
      assert.deepEqual(
        found.map(({ id }) => id),
        ids,
        label,
      )
    }
    const some = await store.findCategories([3n, 99n, INT64_MIN, 3n, INT64_MAX])
    assert.deepEqual(new Set(some.map(({ id }) => id)), new Set([3n, INT64_MIN, INT64_MAX]))
    assert.equal(some.length, 3)
    assert.deepEqual(await store.findCategories([]), [])
  })
}
